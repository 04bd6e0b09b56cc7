package dev.millrace.testing;

import java.util.ArrayDeque;
import java.util.Queue;
import org.eclipse.jetty.util.thread.ThreadPool;

/** A pool without threads: a test runs its jobs, one after the other. */
public final class HeldJobs implements ThreadPool {
    private final Queue<Runnable> jobs = new ArrayDeque<>();

    /** @return what waits, in order; the test's to take */
    public Queue<Runnable> jobs() {
        return jobs;
    }

    @Override
    public void execute(Runnable job) {
        jobs.add(job);
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
