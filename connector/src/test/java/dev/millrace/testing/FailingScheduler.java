package dev.millrace.testing;

import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

/** A scheduler that runs nothing, and has no memory for a task while the test says so. */
public final class FailingScheduler extends AbstractLifeCycle implements Scheduler {
    private boolean failing = true;

    public void setFailing(boolean failing) {
        this.failing = failing;
    }

    @Override
    public Task schedule(Runnable task, long delay, TimeUnit units) {
        if (failing) {
            throw new OutOfMemoryError("meant to fail");
        }
        return () -> false;
    }
}
