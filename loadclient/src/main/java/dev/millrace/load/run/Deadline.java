package dev.millrace.load.run;

import dev.millrace.load.http.HttpConnection;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bound on one client's current exchange. The client sets and clears it; the watchdog, finding it passed, claims it
 * and aborts the connection. Either of the two wins, never both, so an exchange is not aborted after its end.
 */
final class Deadline {

    private static final long NONE = 0;
    private static final long CLAIMED = 1;

    private final AtomicLong nanos = new AtomicLong(NONE);
    private volatile HttpConnection connection;

    /** The client's new connection. */
    void guard(HttpConnection guarded) {
        connection = guarded;
    }

    /** An exchange begins. */
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

    /** The exchange has ended. Returns false if the watchdog has aborted it. */
    boolean clear() {
        return nanos.getAndSet(NONE) != CLAIMED;
    }

    /** Called by the watchdog: aborts the connection if its exchange is late, or at once when told to. */
    void check(long nowNanos, boolean atOnce) {
        long deadline = nanos.get();
        if (deadline != NONE && deadline != CLAIMED && (atOnce || nowNanos - deadline > 0)
                && nanos.compareAndSet(deadline, CLAIMED)) {
            connection.abort();
        }
    }
}
