package dev.millrace.connector;

import dev.millrace.limits.MonitoredEndPoint;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;

/**
 * What the selectors of a connector do, and what its connections wait for. Most of it is asked for when it is read, not counted.
 * Wake-ups and hand-overs begin at 0 with each start, because each start makes new selectors. Requests in a row go on over a
 * restart. Thread-safe.
 */
@ManagedObject("Selectors of a connector, all together")
public final class SelectorStatistics {
    private final ServerConnector connector;
    private final LongAdder requestsInRow = new LongAdder();

    SelectorStatistics(ServerConnector connector) {
        this.connector = connector;
    }

    @ManagedAttribute("Wake-ups of selectors by connections that were ready")
    public long getWakeUps() {
        return selectors().stream().mapToLong(ManagedSelector::getSelectCount).sum();
    }

    @ManagedAttribute("Hand-overs of a ready connection, or of its selector, to another thread")
    public long getHandOvers() {
        return selectors().stream()
                .mapToLong(selector -> SelectorExecutor.of(selector).getHandOvers())
                .sum();
    }

    @ManagedAttribute("Requests found by the thread that had answered the one before, without a selector")
    public long getRequestsInRow() {
        return requestsInRow.sum();
    }

    void onRequestInRow() {
        requestsInRow.increment();
    }

    @ManagedAttribute("Connections that wait for a peer's bytes")
    public long getConnectionsInRead() {
        return connector.getConnectedEndPoints().stream()
                .filter(EndPoint::isFillInterested)
                .count();
    }

    @ManagedAttribute("Connections whose write waits for a peer")
    public long getConnectionsInWrite() {
        return connector.getConnectedEndPoints().stream()
                .filter(endPoint -> endPoint instanceof MonitoredEndPoint watched && watched.isWritePending())
                .count();
    }

    private Collection<ManagedSelector> selectors() {
        return connector.getSelectorManager().getBeans(ManagedSelector.class);
    }

    @Override
    public String toString() {
        return "SelectorStatistics[wakeUps=" + getWakeUps() + ",handOvers=" + getHandOvers() + ",requestsInRow="
                + getRequestsInRow() + ",inRead="
                + getConnectionsInRead() + ",inWrite=" + getConnectionsInWrite() + "]";
    }
}
