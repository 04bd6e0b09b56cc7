package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.limits.PeerRates;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.Callback;

/** What an end point has to know of TLS that writes to it. */
final class TlsState {
    private TlsState() {}

    /**
     * Whether another thread writes for TLS, or is to complete what the end point's flusher has yet to write. TLS flushes past that
     * flusher. If this thread wrote too, the peer would get a record twice.
     *
     * @param isWriting whether a thread writes to the end point
     */
    static boolean isWriteOfAnother(AbstractEndPoint endPoint, boolean isWriting) {
        return endPoint.getConnection() instanceof SslConnection
                && (isWriting || JettyInternals.isWriteUnfinished(endPoint.getWriteFlusher()));
    }

    /**
     * Whether TLS has only alerts left to write: its output is done, or it ends in its first handshake with all before written.
     *
     * @throws EofException when a write was given up: without its record the peer could not read an alert behind it
     */
    static boolean endsOutput(AbstractEndPoint endPoint, WriteDuty writeDuty) throws EofException {
        boolean ends = endPoint.getConnection() instanceof SslConnection ssl
                && (ssl.getSSLEngine().isOutboundDone()
                        || (endsInHandshake(ssl) && !isWriteOfAnother(endPoint, writeDuty.isWriting())));
        if (ends && writeDuty.isCancelled()) {
            throw new EofException("write was cancelled");
        }
        return ends;
    }

    // An alert says so before the close alert (user_canceled, RFC 8446 section 6.1): with the latter to come the output
    // is not done.
    private static boolean endsInHandshake(SslConnection ssl) {
        return !PeerRates.isEstablished(ssl) && JettyInternals.endsOutput(ssl.getSslEndPoint());
    }

    /**
     * Whether TLS has given up the write that is under way. It does so without a word to the end point below. The
     * thread that gives up spins, or waits for the lock that the writer holds.
     */
    static boolean hasGivenUpWrite(Connection connection) {
        return connection instanceof SslConnection ssl && JettyInternals.isGivenUp(ssl.getSslEndPoint());
    }

    /**
     * Ends the write of a thread that waits for the peer, before another one cancels it. TLS has that one spin until the first has come
     * out. It may be the scheduler's, which looks after all others.
     */
    static void beforeCancel(SslConnection.SslEndPoint cancelled, Throwable cause) {
        if (WriteDuty.isFlushing(cancelled.getWriteFlusher()) && isBlocking(cancelled)) {
            Callback pending = MillraceEndPoint.socket(cancelled).cancelWrite(cause);
            if (pending != null) {
                pending.failed(cause);
            }
        }
    }

    /** Whether a write of TLS waits on its thread. */
    static boolean isBlocking(SslConnection.SslEndPoint endPoint) {
        return MillraceEndPoint.socket(endPoint) instanceof WriteDuty.Owner written && written.isBlocking();
    }

    /** As {@link #beforeCancel}: TLS has the thread that closes wait for the lock which the other one holds. */
    static void beforeClose(SslConnection.SslEndPoint closed) {
        Thread writer = MillraceEndPoint.socket(closed) instanceof MillraceEndPoint encrypted
                ? encrypted.handlingThread()
                : null;
        if (writer != null && writer != Thread.currentThread() && WriteDuty.isFlushing(closed.getWriteFlusher())) {
            beforeCancel(closed, new EofException("connection was closed"));
        }
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

    /**
     * Fails a connection whose peer sends content in the middle of another handshake, for which a write waits. Jetty reads nothing more
     * before somebody takes the content, nor lets anybody have it before the write ends: it looks again without end.
     *
     * @param output where the content went: a buffer of the connection's own when nobody reads, and Jetty keeps the content
     */
    static SSLEngineResult checkProgress(
            SslConnection ssl, SSLEngineResult result, TlsBuffer.Pool buffers, ByteBuffer output) throws SSLException {
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_UNWRAP
                && result.bytesProduced() > 0
                && buffers.of(output) != null
                && !JettyInternals.isIdle(ssl.getSslEndPoint().getWriteFlusher())) {
            throw new SSLException("content in the middle of a handshake that a write waits for");
        }
        return result;
    }

    /**
     * Ends the input of a socket. When its output has ended too, the connection ends. That takes away the buffer that TLS is about to look
     * at. So another thread does it, which waits for TLS's lock until this one has returned.
     */
    static void endInput(AbstractEndPoint endPoint, LimitedConnector connector, Runnable end) {
        if (endPoint.getConnection() instanceof SslConnection && endPoint.isOutputShutdown()) {
            connector.runElsewhere(end);
        } else {
            end.run();
        }
    }
}
