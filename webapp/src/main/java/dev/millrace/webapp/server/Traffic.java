package dev.millrace.webapp.server;

import java.util.HashSet;
import java.util.Set;
import org.eclipse.jetty.io.Connection;

/**
 * Counts a listener's connections, requests and bytes. Jetty's connections count for themselves; this sums the open
 * and the closed ones, so that a request costs nothing extra. The lock makes the move of a connection from one side
 * to the other atomic; it is taken when a connection opens or closes and when figures are read.
 */
final class Traffic implements Connection.Listener {
    private final Set<Connection> open = new HashSet<>();
    private long accepted;
    private long requestsOfClosed;
    private long bytesOutOfClosed;

    /** Totals since the start; connections are those open now. */
    record Totals(int connections, long accepted, long requests, long bytesOut) {
    }

    @Override
    public synchronized void onOpened(Connection connection) {
        if (open.add(connection)) {
            accepted++;
        }
    }

    @Override
    public synchronized void onClosed(Connection connection) {
        if (open.remove(connection)) {
            requestsOfClosed += Math.max(0, connection.getMessagesIn());
            bytesOutOfClosed += Math.max(0, connection.getBytesOut());
        }
    }

    synchronized Totals totals() {
        long requests = requestsOfClosed;
        long bytesOut = bytesOutOfClosed;
        for (Connection connection : open) {
            requests += Math.max(0, connection.getMessagesIn());
            bytesOut += Math.max(0, connection.getBytesOut());
        }
        return new Totals(open.size(), accepted, requests, bytesOut);
    }
}
