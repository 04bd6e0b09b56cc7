package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;

/**
 * Whether and how a connection ends whose idle timeout has expired. The closing of a blocking one tells the application, which may block:
 * that is not for the scheduler's thread.
 */
final class IdleTimeouts {
    // SelectorExecutor replaces a thread that computes in the selector's place in less.
    private static final long MAX_UNREAD_MILLIS = 5_000;

    private IdleTimeouts() {}

    /**
     * Whether the peer has sent what a thread has yet to read, such as the next request: then this server is late. Other requests may have
     * all threads of the pool, the selector's own, or all carriers of virtual ones. Asked once for each expiry: bytes keep a connection for
     * one timeout more, or for some seconds.
     */
    static boolean isUnread(MillraceEndPoint endPoint) {
        return endPoint.isFillInterested()
                && !endPoint.isOutputShutdown()
                && !endPoint.isWritePending()
                && ReadAhead.hasUnread(endPoint.getChannel())
                && endPoint.unreadExpiries++ * endPoint.getIdleTimeout() < MAX_UNREAD_MILLIS;
    }

    /**
     * Whether the expiry may close the connection. An idle one, of which there may be thousands, only ends its output at first. The
     * handler of a request is told of it by Jetty, on a thread of its own.
     */
    static boolean mayClose(MillraceEndPoint endPoint) {
        if (!endPoint.isFillInterested() && JettyInternals.requestOf(endPoint.spoken()) == null) {
            // A thread may be in a handshake: TLS, which is asked below, would have this one wait for it.
            return true;
        }
        return endPoint.isInputShutdown() || outermost(endPoint).isOutputShutdown();
    }

    /**
     * Whether a handler of HTTP/1.1 is at work, has content to read, and waits for nothing of the peer's. Jetty would discard the content
     * from this thread. That of the handler may parse it just then, and take the end of what is left for the end of all.
     */
    static boolean isReadByHandler(MillraceEndPoint endPoint) {
        HttpParser parser = endPoint.handlingThread() == null ? null : endPoint.httpParser();
        return parser != null
                && JettyInternals.hasContentLeft(parser)
                && !endPoint.isFillInterested()
                && !endPoint.getWriteFlusher().isPending()
                && !endPoint.isInputShutdown();
    }

    /**
     * For another thread, which may come late: then the write may have ended, or the next request begun.
     *
     * @param isStill whether the connection is as the expiry has found it
     * @return ends it then, if the peer has taken nothing meanwhile
     */
    static Runnable unlessMoved(MillraceEndPoint endPoint, BooleanSupplier isStill, Runnable end) {
        long sent = endPoint.getSentBytes();
        return () -> {
            if (isStill.getAsBoolean() && endPoint.getSentBytes() == sent) {
                end.run();
            }
        };
    }

    private static AbstractEndPoint outermost(AbstractEndPoint endPoint) {
        return endPoint.getConnection() instanceof SslConnection ssl ? ssl.getSslEndPoint() : endPoint;
    }
}
