package dev.millrace.connector;

import dev.millrace.transfer.TransferEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.internal.HttpConnection;

/** An end point that {@link SlowPeers} looks at, from the scheduler's thread. */
interface WatchedEndPoint extends TransferEndPoint {
    /** Bytes sent so far. Written before, and read after, the idle timer's volatile time: see {@link PeerPace}. */
    long getSentBytes();

    /** The HTTP/1.1 connection, inside TLS or not; null when another protocol is spoken. */
    default HttpConnection http() {
        Connection connection = getConnection();
        if (connection instanceof SslConnection ssl) {
            connection = ssl.getSslEndPoint().getConnection();
        }
        return connection instanceof HttpConnection http ? http : null;
    }

    /**
     * Whether a malformed request is being answered, on a thread of the pool. Jetty's connection asks for more even then,
     * and when more comes, or the end, closes in the middle of the answer. After the answer it closes in any case.
     */
    default boolean answersMalformed() {
        // Not with TLS, which may need the peer's bytes to send its own.
        return getConnection() instanceof HttpConnection http && http.getParser().isTerminated()
                && http.getHttpChannel().getRequest() != null;
    }

    /** Whether TLS has something to write, for which it may need the peer's bytes (RFC 5246 section 7.4.1.1). */
    default boolean writesTls() {
        return getConnection() instanceof SslConnection ssl && ssl.getSslEndPoint().getWriteFlusher().isPending();
    }

    /** Milliseconds without a byte in either direction. */
    long getIdleFor();

    /** Whether a read waits for the peer at this moment. */
    default boolean awaitsRead() {
        return isFillInterested();
    }

    /** Whether a write waits for the peer at this moment. */
    boolean isWritePending();

    /** Whether somebody has cancelled the write, or closed the connection, and waits for the thread that is writing. */
    default boolean isWriteGivenUp() {
        return false;
    }

    /** Bytes of the call that is writing at this moment, if it blocks: the peer may have taken any number of them. */
    default int getBytesInCall() {
        return 0;
    }

    /** What the last look left behind; used by the scheduler's thread only. */
    PeerPace getPace();
}
