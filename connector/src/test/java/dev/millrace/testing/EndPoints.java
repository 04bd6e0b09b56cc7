package dev.millrace.testing;

import dev.millrace.limits.MonitoredEndPoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;

/** What a server's end of a connection tells of it. */
public final class EndPoints {
    private EndPoints() {}

    /** That of the connection of a request. */
    public static EndPoint of(Request request) {
        return request.getConnectionMetaData().getConnection().getEndPoint();
    }

    /** The socket of a request without TLS. */
    public static SocketChannel channel(Request request) {
        return (SocketChannel) of(request).getTransport();
    }

    /** Whether a write waits for the peer to take something. */
    public static boolean isWritePending(EndPoint endPoint) {
        return endPoint instanceof MonitoredEndPoint ours
                ? ours.isWritePending()
                : ((AbstractEndPoint) endPoint).getWriteFlusher().isPending();
    }

    /** How many bytes have come that nobody has read. */
    public static int available(SocketChannel channel) {
        try {
            return channel.socket().getInputStream().available();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
