package dev.millrace.jetty;

import org.eclipse.jetty.http2.CloseState;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.HttpStream;
import org.jspecify.annotations.Nullable;

/**
 * What Jetty's HTTP/2 shows of its sessions and streams beside its API. Loaded only where there is HTTP/2: see
 * {@link JettyInternals#hasHttp2}. All methods may be called by any thread, and none waits.
 */
public final class Http2Internals {
    private Http2Internals() {}

    static boolean areShown() throws ReflectiveOperationException {
        Assumption.find(HTTP2Connection.class, HTTP2Session.class, "getSession");
        Assumption.find(HTTP2Session.class, CloseState.class, "getCloseState");
        Assumption.find(HTTP2Session.class, int.class, "getSendWindow", "getRecvWindow");
        Assumption.find(HTTP2Session.class, long.class, "getStreamsOpened");
        Assumption.find(HTTP2Stream.class, int.class, "getSendWindow", "getRecvWindow");
        Assumption.find(HTTP2Stream.class, long.class, "getDataLength");
        Assumption.find(HTTP2Stream.class, Object.class, "getAttachment");
        Assumption.find(HTTP2Stream.class, void.class, "notIdle");
        Assumption.find(HTTP2Stream.class, boolean.class, "isRemotelyClosed", "isLastDataReceived", "isLocallyClosed");
        return HTTP2Session.FrameListener.class.isInterface();
    }

    /** @return the session of a connection; null for another protocol than HTTP/2 */
    public static @Nullable HTTP2Session sessionOf(@Nullable Connection connection) {
        return connection instanceof HTTP2Connection http2 ? http2.getSession() : null;
    }

    /** Whether a connection has been ended by its protocol, after all that it had to say; false for another protocol. */
    public static boolean hasEnded(Connection connection) {
        HTTP2Session session = sessionOf(connection);
        return session != null && session.getCloseState() == CloseState.CLOSED;
    }

    /** Whether the peer lets nothing more be sent on a stream. */
    public static boolean isSendWindowClosed(Stream stream) {
        return ((HTTP2Stream) stream).getSendWindow() <= 0;
    }

    /** Whether an answer has begun to be sent. No tunnel has an answer, such as that of a WebSocket. */
    public static boolean hasBegunToAnswer(Stream stream) {
        return ((HTTP2Stream) stream).getAttachment() instanceof HttpStream http && http.isCommitted();
    }

    /** Notes that something of a stream leaves: Jetty takes it for idle from its last frame on, however long the peer takes for that. */
    public static void notIdle(Session session, int streamId) {
        if (session.getStream(streamId) instanceof HTTP2Stream stream) {
            stream.notIdle();
        }
    }

    /** Whether all of an answer has been sent, and content of its request may still come. */
    public static boolean hasAnsweredEarly(Connection connection, int streamId) {
        HTTP2Session session = sessionOf(connection);
        HTTP2Stream stream = session == null ? null : session.getStream(streamId);
        return stream != null && stream.isLocallyClosed();
    }

    /** Whether more content of a request may come, and none lies there that the application could have had. */
    public static boolean mayHaveContent(Connection connection, int streamId) {
        HTTP2Session session = sessionOf(connection);
        HTTP2Stream stream = session == null ? null : session.getStream(streamId);
        return stream != null
                && !stream.isRemotelyClosed()
                && !stream.isLastDataReceived()
                && stream.getDataLength() == 0
                && stream.getRecvWindow() > 0;
    }

    /** Whether the peer may send no content at all: what nobody has read yet fills the connection's window. */
    public static boolean isReceiveWindowClosed(Connection connection) {
        HTTP2Session session = sessionOf(connection);
        return session != null && session.getRecvWindow() <= 0;
    }

    /** Milliseconds after which a stream ends that no frame comes for; the longest {@code long} if it never does. */
    public static long idleTimeoutMillis(Connection connection, int streamId) {
        HTTP2Session session = sessionOf(connection);
        HTTP2Stream stream = session == null ? null : session.getStream(streamId);
        long millis = stream == null ? 0 : stream.getIdleTimeout();
        return millis > 0 ? millis : Long.MAX_VALUE;
    }
}
