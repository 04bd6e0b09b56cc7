package dev.millrace.connector;

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

/**
 * The life of a connection, from when it was accepted until it was closed. Off unless a recording asks for it; of a connection
 * that was accepted before, a recording has the end alone.
 */
@Name("dev.millrace.Connection")
@Label("Connection")
@Description("The life of a connection")
@Category({"Millrace", "Connector"})
@Enabled(false)
@StackTrace(false)
final class ConnectionEvent extends Event {
    /** Stands for all that nobody recorded when they began: an idle connection needs no memory for it. */
    private static final ConnectionEvent NOT_RECORDED = new ConnectionEvent();

    @Label("Connector")
    String connector;

    @Label("Remote address")
    String remote;

    @Label("Protocol")
    @Description("The class of the connection that was there last")
    String protocol;

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
    String failure;

    /** @param channel just accepted: it knows its peer as long as it is open */
    static ConnectionEvent begun(SocketChannel channel) throws IOException {
        ConnectionEvent event = new ConnectionEvent();
        if (!event.isEnabled()) {
            return NOT_RECORDED;
        }
        event.begin();
        event.remote = String.valueOf(channel.getRemoteAddress());
        return event;
    }

    void closed(MillraceConnector connector, EndPoint endPoint, Throwable cause) {
        (this == NOT_RECORDED ? new ConnectionEvent() : this).end(connector, endPoint, cause);
    }

    private void end(MillraceConnector closing, EndPoint endPoint, Throwable cause) {
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
        failure = cause == null ? null : cause.toString();
        commit();
    }
}
