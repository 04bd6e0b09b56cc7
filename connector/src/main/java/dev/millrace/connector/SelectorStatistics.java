package dev.millrace.connector;

import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;

/**
 * What the selectors of a connector do, and what its connections wait for. Asks them when it is read: next to nothing is
 * counted for it. Thread-safe. Wake-ups and hand-overs are since the last start, and 0 after a stop: each start makes its
 * selectors anew. Requests in turn go on over a restart; gauges are of the moment.
 */
@ManagedObject("Selectors of a connector, all together")
public final class SelectorStatistics {
    private final NioConnector connector;
    private final LongAdder requestsInTurn = new LongAdder();

    SelectorStatistics(NioConnector connector) {
        this.connector = connector;
    }

    /** @return how often a selector found that connections were ready */
    @ManagedAttribute("Wake-ups of selectors by connections that were ready")
    public long getWakeUps() {
        return selectors().stream().mapToLong(ManagedSelector::getSelectCount).sum();
    }

    /** @return the ready connections that were served by another thread than their selector's, or cost it that */
    @ManagedAttribute("Hand-overs of a ready connection, or of its selector, to another thread")
    public long getHandOvers() {
        return selectors().stream().mapToLong(selector -> SelectorDuty.of(selector).handOvers()).sum();
    }

    /** @return the requests that needed no selector: the thread that had answered the one before found them */
    @ManagedAttribute("Requests found by the thread that had answered the one before, without a selector")
    public long getRequestsInTurn() {
        return requestsInTurn.sum();
    }

    void onRequestInTurn() {
        requestsInTurn.increment();
    }

    /** @return the connections for whose next bytes a selector waits */
    @ManagedAttribute("Connections that wait for a peer's bytes")
    public long getConnectionsInRead() {
        return connector.getConnectedEndPoints().stream().filter(EndPoint::isFillInterested).count();
    }

    /** @return the connections whose write waits until the peer takes more */
    @ManagedAttribute("Connections whose write waits for a peer")
    public long getConnectionsInWrite() {
        return connector.getConnectedEndPoints().stream()
                .filter(endPoint -> endPoint instanceof WatchedEndPoint watched && watched.isWritePending()).count();
    }

    private Collection<ManagedSelector> selectors() {
        return connector.getSelectorManager().getBeans(ManagedSelector.class);
    }

    @Override
    public String toString() {
        return "SelectorStatistics[wakeUps=" + getWakeUps() + ",handOvers=" + getHandOvers() + ",requestsInTurn="
                + getRequestsInTurn() + ",inRead="
                + getConnectionsInRead() + ",inWrite=" + getConnectionsInWrite() + "]";
    }
}
