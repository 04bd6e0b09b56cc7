package dev.millrace.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

/** A scheduler that runs nothing by itself, and lets nothing be cancelled: the test runs what was planned. */
public final class Plans extends AbstractLifeCycle implements Scheduler {
    private final List<Runnable> tasks = new ArrayList<>();

    /** What was planned so far, in its order. */
    public List<Runnable> tasks() {
        return tasks;
    }

    @Override
    public Task schedule(Runnable task, long delay, TimeUnit units) {
        tasks.add(task);
        return () -> false;
    }
}
