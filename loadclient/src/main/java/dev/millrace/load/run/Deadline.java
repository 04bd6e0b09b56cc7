package dev.millrace.load.run;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bound on what one client is at, a connecting or an exchange. The client sets and clears it; the watchdog, finding
 * it passed, claims it and closes the socket. Either of the two wins, never both, so an exchange is not aborted after its
 * end.
 */
final class Deadline {

    private static final long NONE = 0;
    private static final long CLAIMED = 1;

    private final AtomicLong nanos = new AtomicLong(NONE);
    private volatile Closeable socket;

    /** The client's new socket. */
    void guard(Closeable guarded) {
        socket = guarded;
    }

    /** A connecting or an exchange begins. */
    void set(long deadlineNanos) {
        // The two lowest values have a meaning of their own; missing them by 2 ns costs nothing.
        nanos.set(deadlineNanos | 2);
    }

    /** The exchange goes on; has no effect once the watchdog has aborted it. */
    void extend(long deadlineNanos) {
        long current = nanos.get();
        if (current != CLAIMED) {
            nanos.compareAndSet(current, deadlineNanos | 2);
        }
    }

    /** It has ended. Returns false if the watchdog has aborted it. */
    boolean clear() {
        return nanos.getAndSet(NONE) != CLAIMED;
    }

    /** Called by the watchdog: closes the socket if what it is at is late, or at once when told to. */
    void check(long nowNanos, boolean atOnce) {
        long deadline = nanos.get();
        if (deadline != NONE && deadline != CLAIMED && (atOnce || nowNanos - deadline > 0)
                && nanos.compareAndSet(deadline, CLAIMED)) {
            close();
        }
    }

    private void close() {
        try {
            socket.close();
        } catch (IOException ignored) {
            // Its thread learns of that itself.
            return;
        }
    }
}
