package dev.millrace.connector;

import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.WriteFlusher;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.internal.HttpConnection;

/**
 * How a blocking connection ends whose idle timeout has expired. Its closing tells the application, who may block: that is not
 * for the scheduler's thread.
 */
final class IdleEnd {
    private IdleEnd() {
    }

    /**
     * Whether the expiry may close the connection. An idle one, of which there may be thousands, only ends its output at first; who
     * handles a request is told of it by Jetty, on a thread of its own.
     */
    static boolean mayClose(BioEndPoint endPoint) {
        if (outermost(endPoint).isOutputShutdown() || endPoint.isInputShutdown()) {
            return true;
        }
        HttpConnection http = endPoint.http();
        return !endPoint.isFillInterested() && (http == null || http.getHttpChannel().getRequest() == null);
    }

    /** Fails the write that is under way, and closes the connection. */
    static void failWrite(BioEndPoint endPoint, TimeoutException timeout) {
        // First, for the writer wakes as soon as the channel is closed, and would fail by that; over TLS it is another's. Who does
        // not write himself is told of it here: last, for he may block.
        WriteFlusher outermost = outermost(endPoint).getWriteFlusher();
        if (!outermost.isPending()) {
            outermost.onFail(timeout);
        }
        endPoint.getWriteFlusher().onFail(timeout);
        endPoint.close(timeout);
        outermost.onFail(timeout);
    }

    private static AbstractEndPoint outermost(BioEndPoint endPoint) {
        return endPoint.getConnection() instanceof SslConnection ssl ? ssl.getSslEndPoint() : endPoint;
    }
}
