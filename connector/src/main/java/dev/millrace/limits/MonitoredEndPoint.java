package dev.millrace.limits;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.transfer.TransferEndPoint;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.jspecify.annotations.Nullable;

/** An end point that {@link ConnectionSweeper} looks at, from the scheduler's thread. */
public interface MonitoredEndPoint extends TransferEndPoint, PeerActivity {
    /** What peer and server speak, inside TLS or not. */
    default @Nullable Connection spoken() {
        Connection connection = getConnection();
        return connection instanceof SslConnection ssl ? ssl.getSslEndPoint().getConnection() : connection;
    }

    /** The parser of HTTP/1.1, inside TLS or not; null when another protocol is spoken. */
    default @Nullable HttpParser httpParser() {
        return JettyInternals.parserOf(spoken());
    }

    /**
     * Whether a malformed request is being answered, on a thread of the pool. Jetty's connection asks for more even then,
     * and when more comes, or the end, closes in the middle of the answer. After the answer it closes in any case.
     */
    default boolean answersMalformed() {
        // Not with TLS, which may need the peer's bytes to send its own.
        HttpParser parser = JettyInternals.parserOf(getConnection());
        return parser != null && parser.isTerminated() && JettyInternals.requestOf(getConnection()) != null;
    }

    /** Whether TLS has something to write, for which it may need the peer's bytes (RFC 5246 section 7.4.1.1). */
    default boolean writesTls() {
        return getConnection() instanceof SslConnection ssl
                && ssl.getSslEndPoint().getWriteFlusher().isPending();
    }

    /** Whether a request of HTTP/1.1 is handled by a thread of the pool, for which others may be waiting. */
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
