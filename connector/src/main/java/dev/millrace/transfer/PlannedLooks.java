package dev.millrace.transfer;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans looks on a scheduler, one after the other, from a start to the next stop. A look that is under way at a stop may end after the
 * next start.
 *
 * <p>Thread-safe. Public for other packages of this library alone.
 */
public final class PlannedLooks {
    private static final Logger LOG = LoggerFactory.getLogger(PlannedLooks.class);

    private final Object owner;
    private final Supplier<Scheduler> scheduler;
    private final Executor executor;
    private final LongSupplier pauseMillis;
    private final Runnable look;
    /** Null before the first plan, and after one that the scheduler has not taken. */
    private volatile Scheduler.@Nullable Task next;
    // All guarded by this.
    private int plans;
    private boolean running;
    private boolean hasWarned;

    /**
     * @param owner whose looks they are, for the log
     * @param scheduler tells when
     * @param executor whose threads look. The scheduler's own must not block
     * @param pauseMillis says for how long to wait for the next look
     * @param look what is done each time, by one thread at a time; another one follows though it fails
     */
    public PlannedLooks(
            Object owner, Supplier<Scheduler> scheduler, Executor executor, LongSupplier pauseMillis, Runnable look) {
        this.owner = owner;
        this.scheduler = scheduler;
        this.executor = executor;
        this.pauseMillis = pauseMillis;
        this.look = look;
    }

    /** Plans the first look. Where the scheduler takes nothing, {@link #resume} has to ask it again. */
    public synchronized void start() {
        running = true;
        hasWarned = false;
        schedule();
    }

    /** Plans a look if none is planned, because the scheduler has taken none, for want of memory as a rule. Costs next to nothing. */
    public void resume() {
        if (next == null) {
            schedule();
        }
    }

    public synchronized void stop() {
        running = false;
        Scheduler.Task planned = next;
        if (planned != null) {
            planned.cancel();
        }
    }

    /** Runs a task after a while; returns false when the scheduler takes nothing. */
    public boolean runsLater(Runnable task, long millis) {
        try {
            scheduler.get().schedule(task, millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (Throwable x) {
            LOG.debug("Nothing is planned for {}", owner, x);
            return false;
        }
    }

    private synchronized void schedule() {
        // One thread at a time: only the last plan leads to a look, so that it must also be the one that is noted.
        if (running) {
            plans++;
            int plan = plans;
            try {
                next = scheduler.get().schedule(() -> run(plan), pauseMillis.getAsLong(), TimeUnit.MILLISECONDS);
            } catch (Throwable x) {
                next = null;
                warn(x);
            }
        }
    }

    // Once in a start: a scheduler that takes nothing is asked again by each connection, or each file.
    private void warn(Throwable refusal) {
        if (hasWarned) {
            LOG.debug("No look is planned", refusal);
        } else {
            hasWarned = true;
            LOG.warn("The scheduler of {} does not take the next look: it is asked again later", owner, refusal);
        }
    }

    private synchronized boolean isDue(int plan) {
        return running && plan == plans;
    }

    private void run(int plan) {
        if (isDue(plan)) {
            try {
                executor.execute(this::look);
            } catch (Throwable noThread) {
                // Jetty's pool keeps the task for a thread that it has: that look's plan replaces this one.
                LOG.debug("Skipping a look: {}", noThread.toString());
                schedule();
            }
        }
    }

    private void look() {
        try {
            look.run();
        } catch (Throwable x) {
            // For want of memory as a rule: nobody would notice that the looks have ended.
            LOG.warn("A look of {} has failed", owner, x);
        } finally {
            schedule();
        }
    }
}
