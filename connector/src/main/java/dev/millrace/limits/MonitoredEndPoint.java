package dev.millrace.limits;

import dev.millrace.transfer.TransferEndPoint;

/** An end point that {@link ConnectionSweeper} looks at, from the scheduler's thread. */
public interface MonitoredEndPoint extends TransferEndPoint, PeerActivity {
    /** Whether a request of HTTP/1.1 may be handled by a thread of the pool, for which others may be waiting. */
    default boolean isServedByPool() {
        return true;
    }

    /** Whether another thread has cancelled the write, or closed the connection, and waits for the thread that is writing. */
    default boolean isWriteGivenUp() {
        return false;
    }

    /** What the last look left behind; used by the scheduler's thread only. */
    PeerRates getRates();
}
