package dev.millrace.limits;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether peers wait because others hold what they need: a thread of the pool, or one of the connections that may be open at once.
 *
 * <p>A pool is asked by an empty task: as long as that waits for a thread, so would a request. Pools tell how many
 * threads they have, each in its own way, but not that. A pool that is merely busy soon comes to the task.
 *
 * <p>Used by the scheduler's thread only.
 */
final class Shortage {
    private static final Logger LOG = LoggerFactory.getLogger(Shortage.class);

    private final Executor pool;
    private final ConnectionPermits permits;
    // Set by the pool's thread.
    private volatile boolean answered = true;
    // The pool may have lost the task.
    private boolean refused;
    private long askedNanoTime;
    private boolean full;
    private long fullNanoTime;

    Shortage(Executor pool, ConnectionPermits permits) {
        this.pool = pool;
        this.permits = permits;
    }

    /** Begins anew: a pool that was stopped meanwhile never comes to the task. */
    void begin() {
        answered = true;
        refused = false;
        full = false;
    }

    /**
     * Called at each look.
     *
     * @param now by the clock of {@link NanoTime}
     * @param asks whether to ask the pool, unless it has yet to answer: each time costs a thread's wake-up
     */
    void look(boolean asks, long now) {
        if (asks && (answered || refused)) {
            askedNanoTime = answered ? now : askedNanoTime;
            ask();
        }
        boolean fullNow = permits.areAwaited();
        if (fullNow && !full) {
            fullNanoTime = now;
        }
        full = fullNow;
    }

    private void ask() {
        answered = false;
        refused = false;
        try {
            pool.execute(() -> answered = true);
        } catch (RejectedExecutionException x) {
            LOG.debug("No shortage, but an end: {}", x.toString());
            answered = true;
        } catch (Throwable x) {
            // The pool gets no thread, as a rule. Jetty's keeps the task for one that it has; the JDK's forgets it.
            refused = true;
            LOG.debug("A shortage: {}", x.toString());
        }
    }

    /** Whether the pool has answered when it was asked last. */
    boolean isAnswered() {
        return answered;
    }

    /** Whether tasks have been waiting for a thread of the pool for at least so long. */
    boolean isOfThreads(long millis, long now) {
        return !answered && NanoTime.millisElapsed(askedNanoTime, now) >= millis;
    }

    /** Whether as many connections as may be open at once have been so for at least so long. */
    boolean isOfConnections(long millis, long now) {
        return full && NanoTime.millisElapsed(fullNanoTime, now) >= millis;
    }
}
