package dev.millrace.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

/** A scheduler that runs nothing by itself, and lets nothing be cancelled: the test runs what was planned. */
public final class Plans extends AbstractLifeCycle implements Scheduler {
    private final List<Runnable> tasks = new ArrayList<>();
    private boolean failing;

    /** What was planned so far, in its order. */
    public List<Runnable> tasks() {
        return tasks;
    }

    /** @param failing whether it takes no task */
    public void setFailing(boolean failing) {
        this.failing = failing;
    }

    @Override
    public Task schedule(Runnable task, long delay, TimeUnit units) {
        if (failing) {
            throw new RejectedExecutionException("meant to fail");
        }
        tasks.add(task);
        return () -> false;
    }
}
