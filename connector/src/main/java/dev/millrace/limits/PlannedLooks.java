package dev.millrace.limits;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans looks on a connector's scheduler, one after the other, from a start to the next stop. A look that is under way at a stop may
 * end after the next start. Thread-safe.
 */
public final class PlannedLooks {
    private static final Logger LOG = LoggerFactory.getLogger(PlannedLooks.class);

    private final Connector connector;
    private final LongSupplier pauseMillis;
    private final Runnable look;
    /** Null before the first plan, and after one that the scheduler has not taken. */
    private volatile Scheduler.@Nullable Task next;
    // All guarded by this.
    private int plans;
    private boolean running;
    private boolean hasWarned;

    /**
     * @param pauseMillis says for how long to wait for the next look
     * @param look what is done each time, on the scheduler's thread, and must not block; another one follows though it fails
     */
    public PlannedLooks(Connector connector, LongSupplier pauseMillis, Runnable look) {
        this.connector = connector;
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

    private synchronized void schedule() {
        // One thread at a time: only the last plan leads to a look, so that it must also be the one that is noted.
        if (running) {
            plans++;
            int plan = plans;
            try {
                next = connector
                        .getScheduler()
                        .schedule(() -> run(plan), pauseMillis.getAsLong(), TimeUnit.MILLISECONDS);
            } catch (Throwable x) {
                next = null;
                warn(x);
            }
        }
    }

    // Once in a start: a scheduler that takes nothing is asked again by each connection.
    private void warn(Throwable refusal) {
        if (hasWarned) {
            LOG.debug("No look is planned", refusal);
        } else {
            hasWarned = true;
            LOG.warn("The scheduler of {} does not take the next look: it is asked again later", connector, refusal);
        }
    }

    private synchronized boolean isDue(int plan) {
        return running && plan == plans;
    }

    private void run(int plan) {
        if (isDue(plan)) {
            try {
                look.run();
            } finally {
                // Whatever has failed, for want of memory as a rule: nobody would notice that the looks have ended.
                schedule();
            }
        }
    }
}
