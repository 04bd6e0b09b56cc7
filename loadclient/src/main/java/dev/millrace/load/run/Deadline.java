package dev.millrace.load.run;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The deadline of one client's connect or exchange. The client sets and clears it. The watchdog claims it when it has
 * passed, and closes the socket. One compare-and-set decides between the two, so that an exchange is never aborted
 * after its end.
 */
final class Deadline {

    private static final long NONE = 0;
    private static final long CLAIMED = 1;

    private final AtomicLong nanos = new AtomicLong(NONE);
    private volatile @Nullable Closeable socket;

    /** Sets the socket that the watchdog closes when the deadline has passed. */
    void guard(Closeable guarded) {
        socket = guarded;
    }

    /** A connect or an exchange begins. */
    void set(long deadlineNanos) {
        // 0 and 1 are NONE and CLAIMED. An error of 2 ns is harmless.
        nanos.set(deadlineNanos | 2);
    }

    /** The exchange made progress. This has no effect once the watchdog has aborted it. */
    void extend(long deadlineNanos) {
        long current = nanos.get();
        if (current != CLAIMED) {
            nanos.compareAndSet(current, deadlineNanos | 2);
        }
    }

    /** The connect or exchange has ended. Returns false if the watchdog has aborted it. */
    boolean clear() {
        return nanos.getAndSet(NONE) != CLAIMED;
    }

    /** Closes the socket when the deadline has passed, or at once. The watchdog calls it, and a client that gives up. */
    void check(long nowNanos, boolean atOnce) {
        long deadline = nanos.get();
        // Read in between: whoever has the next connection has cleared this deadline, which cannot be claimed then.
        Closeable guarded = socket;
        if (deadline != NONE
                && deadline != CLAIMED
                && (atOnce || nowNanos - deadline > 0)
                && nanos.compareAndSet(deadline, CLAIMED)) {
            close(guarded);
        }
    }

    private static void close(@Nullable Closeable guarded) {
        try {
            if (guarded != null) {
                guarded.close();
            }
        } catch (IOException ignored) {
            // The client's thread gets an exception of its own.
            return;
        }
    }
}
