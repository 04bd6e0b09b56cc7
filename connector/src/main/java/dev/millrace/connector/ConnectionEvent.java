package dev.millrace.connector;

import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.transfer.FlightRecorder;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.jspecify.annotations.Nullable;

/**
 * The life of a connection, from when it was accepted until it was closed, for the flight recorder. Off unless a recording asks for
 * it; of a connection that was accepted before, a recording has the end alone.
 */
final class ConnectionEvent {
    /** Stands for all connections that were not recorded when they began: an idle one needs no memory for it. */
    private static final ConnectionEvent NOT_RECORDED = new ConnectionEvent(null);

    private final @Nullable Recorded recorded;

    private ConnectionEvent(@Nullable Recorded recorded) {
        this.recorded = recorded;
    }

    @Name("dev.millrace.Connection")
    @Label("Connection")
    @Description("The life of a connection")
    @Category({"Millrace", "Connector"})
    @Enabled(false)
    @StackTrace(false)
    static final class Recorded extends Event {
        @Label("Connector")
        @Nullable String connector;

        @Label("Remote address")
        @Nullable String remote;

        @Label("Protocol")
        @Description("The class of the connection that was there last")
        @Nullable String protocol;

        @Label("Messages in")
        long messagesIn;

        @Label("Messages out")
        long messagesOut;

        @Label("Bytes in")
        @DataAmount
        long bytesIn;

        @Label("Bytes out")
        @DataAmount
        long bytesOut;

        @Label("Failure")
        @Description("Why it was closed, when not in order")
        @Nullable String failure;

        private static ConnectionEvent begun(SocketChannel channel) throws IOException {
            Recorded event = new Recorded();
            if (!event.isEnabled()) {
                return NOT_RECORDED;
            }
            event.begin();
            event.remote = String.valueOf(channel.getRemoteAddress());
            return new ConnectionEvent(event);
        }

        private static void end(
                @Nullable Recorded begun, Connector closing, EndPoint endPoint, @Nullable Throwable cause) {
            (begun == null ? new Recorded() : begun).end(closing, endPoint, cause);
        }

        private void end(Connector closing, EndPoint endPoint, @Nullable Throwable cause) {
            end();
            if (!shouldCommit()) {
                return;
            }
            connector = String.valueOf(closing.getName());
            if (remote == null) {
                remote = String.valueOf(endPoint.getRemoteSocketAddress());
            }
            Connection connection = endPoint.getConnection();
            if (connection != null) {
                protocol = connection.getClass().getSimpleName();
                messagesIn = connection.getMessagesIn();
                messagesOut = connection.getMessagesOut();
                bytesIn = connection.getBytesIn();
                bytesOut = connection.getBytesOut();
            }
            // Jetty itself closes a connection that it has answered 408.
            boolean slow = endPoint instanceof MonitoredEndPoint watched
                    && watched.getRates().isTold();
            failure = slow ? "peer too slow: request content" : cause == null ? null : cause.toString();
            commit();
        }
    }

    /** @param channel just accepted: it knows its peer as long as it is open */
    static ConnectionEvent begun(SocketChannel channel) throws IOException {
        return FlightRecorder.isPresent() ? Recorded.begun(channel) : NOT_RECORDED;
    }

    void closed(Connector connector, EndPoint endPoint, @Nullable Throwable cause) {
        if (FlightRecorder.isPresent()) {
            Recorded.end(recorded, connector, endPoint, cause);
        }
    }
}
