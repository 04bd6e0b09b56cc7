package dev.millrace.connector;

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a connection, for the flight recorder. Off unless a recording asks for it; of one that was accepted before, it has the end
 * alone. Loaded only where there is a {@link FlightRecorder}.
 */
@Name("dev.millrace.Connection")
@Label("Connection")
@Description("The life of a connection")
@Category({"Millrace", "Connector"})
@Enabled(false)
@StackTrace(false)
final class ConnectionEvent extends Event {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionEvent.class);

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

    /**
     * @param channel just accepted: it knows its peer as long as it is open
     * @return null when nobody records
     */
    static @Nullable ConnectionEvent begun(SocketChannel channel) throws IOException {
        ConnectionEvent event = new ConnectionEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        event.remote = String.valueOf(channel.getRemoteAddress());
        return event;
    }

    /** @param isSlow whether the application was told that the peer is too slow: Jetty itself closes what it has answered 408 */
    void ended(Connector closing, EndPoint endPoint, boolean isSlow, @Nullable Throwable cause) {
        end();
        if (!shouldCommit()) {
            return;
        }
        try {
            describe(closing, endPoint, isSlow, cause);
        } catch (Throwable x) {
            // An application's own connection, or cause, has failed. The connection has yet to be ended.
            LOG.debug("Cannot tell all of {}", remote, x);
        }
        commit();
    }

    private void describe(Connector closing, EndPoint endPoint, boolean isSlow, @Nullable Throwable cause) {
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
        failure = isSlow ? "peer too slow: request content" : cause == null ? null : cause.toString();
    }
}
