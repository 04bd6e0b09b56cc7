package dev.millrace.limits;

import dev.millrace.transfer.TransferEndPoint;
import org.eclipse.jetty.io.WriteFlusher;
import org.eclipse.jetty.io.ssl.SslConnection;

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

    /** What Jetty flushes this end point by; inside TLS, that one has another. */
    WriteFlusher getWriteFlusher();

    /** What the connection's protocol writes by, inside TLS or not. */
    default WriteFlusher getOutermostWriteFlusher() {
        return getConnection() instanceof SslConnection ssl
                ? ssl.getSslEndPoint().getWriteFlusher()
                : getWriteFlusher();
    }

    /** Closes the connection. What is written to it fails by this cause. */
    default void end(Throwable cause) {
        // A thread that writes wakes by the close, and would else fail by that: it is told before. A callback that
        // waits is told behind it, for that may block.
        WriteFlusher own = getWriteFlusher();
        WriteFlusher outermost = getOutermostWriteFlusher();
        if (!outermost.isPending()) {
            outermost.onFail(cause);
        }
        if (!own.isPending()) {
            own.onFail(cause);
        }
        close(cause);
        outermost.onFail(cause);
    }
}
