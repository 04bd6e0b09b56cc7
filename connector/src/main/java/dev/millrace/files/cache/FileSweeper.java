package dev.millrace.files.cache;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans the sweeps of a cache of open files from a start to the next stop. A sweep that is under way at the stop may end after the
 * next start, which has a sweeper of its own. Thread-safe.
 */
final class FileSweeper {
    private static final Logger LOG = LoggerFactory.getLogger(FileSweeper.class);

    private final Scheduler scheduler;
    private final Executor executor;
    private final LongSupplier pauseMillis;
    private final Runnable sweep;
    private final AtomicInteger plans = new AtomicInteger();
    /** Null before the first plan, and after one that the scheduler has not taken. */
    private volatile Scheduler.@Nullable Task next;

    private volatile boolean stopped;

    /**
     * @param scheduler tells when
     * @param executor whose threads sweep: a file system may hang, and must not stop the server's clock
     * @param pauseMillis says for how long to wait for the next sweep
     * @param sweep what is done each time, by one thread at a time
     */
    FileSweeper(Scheduler scheduler, Executor executor, LongSupplier pauseMillis, Runnable sweep) {
        this.scheduler = scheduler;
        this.executor = executor;
        this.pauseMillis = pauseMillis;
        this.sweep = sweep;
    }

    /** Runs a task after a while; returns false when the scheduler takes nothing, for want of memory as a rule. */
    boolean runsLater(Runnable task, long millis) {
        try {
            scheduler.schedule(task, millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (Throwable x) {
            LOG.debug("Letting go of a file without a grace", x);
            return false;
        }
    }

    /** Plans the next sweep. Where the scheduler takes nothing, {@link #resume} has to ask it again. */
    synchronized void schedule() {
        // One thread at a time: only the last plan leads to a sweep, so that it must also be the one that is noted.
        if (!stopped) {
            int plan = plans.incrementAndGet();
            try {
                next = scheduler.schedule(() -> execute(plan), pauseMillis.getAsLong(), TimeUnit.MILLISECONDS);
            } catch (Throwable x) {
                LOG.debug("No sweep is planned", x);
                next = null;
            }
        }
    }

    /** Plans a sweep if none is planned. Called for each file that is opened, for it costs next to nothing. */
    void resume() {
        if (next == null) {
            schedule();
        }
    }

    void stop() {
        stopped = true;
        Scheduler.Task planned = next;
        if (planned != null) {
            planned.cancel();
        }
    }

    private void execute(int plan) {
        if (!stopped && plan == plans.get()) {
            try {
                executor.execute(this::sweep);
            } catch (Throwable noThread) {
                // Jetty's pool keeps the task for a thread that it has: that sweep's plan replaces this one.
                LOG.debug("Skipping a sweep: {}", noThread.toString());
                schedule();
            }
        }
    }

    private void sweep() {
        try {
            sweep.run();
        } finally {
            schedule();
        }
    }
}
