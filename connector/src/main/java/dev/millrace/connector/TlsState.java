package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;

/** What an end point has to know of TLS that writes to it. */
final class TlsState {
    private TlsState() {}

    /**
     * Whether a write of TLS is another thread's, or left to the flusher of its end point for another. TLS flushes past that
     * flusher: from this thread too, and the peer would get a record twice.
     *
     * @param isWriting whether a thread writes to the end point
     */
    static boolean isWriteOfAnother(AbstractEndPoint endPoint, boolean isWriting) {
        return endPoint.getConnection() instanceof SslConnection
                && (isWriting || JettyInternals.isWriteUnfinished(endPoint.getWriteFlusher()));
    }

    /** Whether TLS has nothing but its close alert left to write: its output is done, and all before that has been written. */
    static boolean endsOutput(Connection connection) {
        return connection instanceof SslConnection ssl && ssl.getSSLEngine().isOutboundDone();
    }

    /**
     * Whether TLS has given up the write that is under way. It does so without a word to the end point below. The
     * thread that gives up spins, or waits for the lock that the writer holds.
     */
    static boolean hasGivenUpWrite(Connection connection) {
        return connection instanceof SslConnection ssl && JettyInternals.isGivenUp(ssl.getSslEndPoint());
    }

    /**
     * Fails what a protocol other than HTTP/1.1 wrote when it heard of its end (GOAWAY, RFC 9113 section 6.8).
     * SslConnection lets it wait for what TLS itself has written last, and tells nothing of that write's failure. The
     * frame's buffer would never be released.
     */
    static void failFarewell(Connection connection) {
        if (connection instanceof SslConnection ssl) {
            ssl.getSslEndPoint().getWriteFlusher().onClose();
        }
    }

    /** Whether TLS has something to write, for which it may need the peer's bytes (RFC 5246 section 7.4.1.1). */
    static boolean isWriting(AbstractEndPoint endPoint) {
        return endPoint.getConnection() instanceof SslConnection ssl
                && ssl.getSslEndPoint().getWriteFlusher().isPending();
    }
}
