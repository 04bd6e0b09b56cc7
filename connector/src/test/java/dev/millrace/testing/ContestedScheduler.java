package dev.millrace.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A scheduler that runs nothing by itself. It takes the first plan, but not before another thread has come with the second, which it does
 * not take.
 */
public final class ContestedScheduler extends AbstractLifeCycle implements Scheduler {
    private static final int LONG_ENOUGH_MILLIS = 300;

    private final List<Runnable> tasks = new ArrayList<>();
    private final Thread other;
    private int asked;

    /** @param second what the other thread plans by */
    public ContestedScheduler(Runnable second) {
        other = new Thread(second);
    }

    /** Waits until the other thread has been refused. */
    public void awaitRefusal() throws InterruptedException {
        other.join();
    }

    /** What was planned last. */
    public Runnable lastTask() {
        return tasks.get(tasks.size() - 1);
    }

    @Override
    public Task schedule(Runnable task, long delay, TimeUnit units) {
        asked++;
        if (asked == 1) {
            other.start();
            join();
        } else if (Thread.currentThread() == other) {
            throw new RejectedExecutionException("meant to fail");
        }
        tasks.add(task);
        return () -> false;
    }

    // The other thread may have to wait for the first one.
    private void join() {
        try {
            other.join(LONG_ENOUGH_MILLIS);
        } catch (InterruptedException x) {
            throw new IllegalStateException(x);
        }
    }
}
