package dev.millrace.monitor;

import java.util.HashSet;
import java.util.Set;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;

/**
 * Counts a connector's connections, requests and bytes. Jetty's connections count for themselves. This class sums the open and the
 * closed ones, so that a request costs nothing extra. Its lock makes the move of a connection from open to closed atomic.
 *
 * <p>Public for JMX alone; {@link ConnectorMonitor} makes one for each connector.
 */
@ManagedObject("Connections, requests and bytes of a connector")
public final class Traffic implements Connection.Listener {
    private final Set<Connection> open = new HashSet<>();
    private long accepted;
    private long requestsOfClosed;
    private long bytesOutOfClosed;

    Traffic() {}

    /** Totals since the start; a connection that changes its protocol counts as accepted once more. */
    record Totals(long accepted, long requests, long bytesOut) {}

    @Override
    public synchronized void onOpened(Connection connection) {
        if (open.add(connection) && isOnSocket(connection)) {
            accepted++;
        }
    }

    @Override
    public synchronized void onClosed(Connection connection) {
        if (open.remove(connection)) {
            requestsOfClosed += Math.max(0, connection.getMessagesIn());
            bytesOutOfClosed += bytesOut(connection);
        }
    }

    @ManagedAttribute("Connections accepted since the start")
    public long getAccepted() {
        return totals().accepted();
    }

    @ManagedAttribute("Requests since the start")
    public long getRequests() {
        return totals().requests();
    }

    @ManagedAttribute("Bytes sent since the start")
    public long getBytesOut() {
        return totals().bytesOut();
    }

    synchronized Totals totals() {
        long requests = requestsOfClosed;
        long bytesOut = bytesOutOfClosed;
        for (Connection connection : open) {
            requests += Math.max(0, connection.getMessagesIn());
            bytesOut += bytesOut(connection);
        }
        return new Totals(accepted, requests, bytesOut);
    }

    /** False inside of TLS, and behind the PROXY protocol: such a connection was accepted with the one around it. */
    private static boolean isOnSocket(Connection connection) {
        return !(connection.getEndPoint() instanceof EndPoint.Wrapper);
    }

    private static long bytesOut(Connection connection) {
        return isInTls(connection.getEndPoint()) ? 0 : Math.max(0, connection.getBytesOut());
    }

    /** Bytes inside TLS are counted by the connection of TLS. Behind the PROXY protocol there is no other count. */
    private static boolean isInTls(EndPoint endPoint) {
        return endPoint instanceof SslConnection.SslEndPoint
                || (endPoint instanceof EndPoint.Wrapper wrapper && isInTls(wrapper.unwrap()));
    }
}
