package dev.millrace.testing;

import java.util.ArrayDeque;
import java.util.Queue;
import org.eclipse.jetty.util.thread.ThreadPool;

/** A pool without threads: a test runs its jobs, one after the other. */
public final class HeldJobs implements ThreadPool {
    private final Queue<Runnable> jobs = new ArrayDeque<>();
    private Runnable failing = () -> {};

    /** @return what waits, in order; the test's to take */
    public Queue<Runnable> jobs() {
        return jobs;
    }

    /** @param exhausted whether the system grants it no thread: it keeps a job all the same, as Jetty's does */
    public void setExhausted(boolean exhausted) {
        setFailing(() -> {
            if (exhausted) {
                throw new OutOfMemoryError("unable to create native thread");
            }
        });
    }

    /** @param failing throws when the pool has taken a job */
    public void setFailing(Runnable failing) {
        this.failing = failing;
    }

    @Override
    public void execute(Runnable job) {
        jobs.add(job);
        failing.run();
    }

    @Override
    public void join() {}

    @Override
    public int getThreads() {
        return 0;
    }

    @Override
    public int getIdleThreads() {
        return 0;
    }

    @Override
    public boolean isLowOnThreads() {
        return false;
    }
}
