package dev.millrace.connector;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;

/** What the threads of a blocking connector do. Thread-safe; counters go on over a restart, gauges are of the moment. */
@ManagedObject("Threads of a blocking connector")
public final class ConnectorStatistics {
    private final LongAdder readsBegun = new LongAdder();
    private final LongAdder wakeUps = new LongAdder();
    private final LongAdder alerts = new LongAdder();
    private final LongAdder handOvers = new LongAdder();
    private final LongAdder backgroundWrites = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongSupplier writers;

    /** @param writers how many threads write for an end point, at the moment */
    ConnectorStatistics(LongSupplier writers) {
        this.writers = writers;
    }

    @ManagedAttribute("Threads that wait for a peer's bytes")
    public long getThreadsInRead() {
        // The ends are read first: a thread that wakes up in between must not make the result negative.
        long ended = wakeUps.sum();
        return readsBegun.sum() - ended;
    }

    @ManagedAttribute("Wake-ups of threads that waited for a peer: by its bytes, by its end, or by the connection's")
    public long getWakeUps() {
        return wakeUps.sum();
    }

    @ManagedAttribute("Threads that are writing to a peer")
    public long getThreadsInWrite() {
        return writers.getAsLong() + alerts.sum();
    }

    @ManagedAttribute("Hand-overs of the reading side of a connection to another thread")
    public long getHandOvers() {
        return handOvers.sum();
    }

    @ManagedAttribute("Writes done by a thread of their own, because their caller must not block")
    public long getBackgroundWrites() {
        return backgroundWrites.sum();
    }

    @ManagedAttribute(
            "Connections closed when accepted: no thread could be had, or a listener or a setting of the socket failed")
    public long getRefusedConnections() {
        return refused.sum();
    }

    void onReadBlocked() {
        readsBegun.increment();
    }

    void onReadUnblocked() {
        wakeUps.increment();
    }

    void onAlertBegin() {
        alerts.increment();
    }

    void onAlertEnd() {
        alerts.decrement();
    }

    void onHandOver() {
        handOvers.increment();
    }

    void onBackgroundWrite() {
        backgroundWrites.increment();
    }

    void onRefused() {
        refused.increment();
    }

    @Override
    public String toString() {
        return "ConnectorStatistics[inRead=" + getThreadsInRead() + ",inWrite=" + getThreadsInWrite() + ",wakeUps="
                + getWakeUps() + ",handOvers=" + getHandOvers() + ",backgroundWrites=" + getBackgroundWrites()
                + ",refused="
                + getRefusedConnections() + "]";
    }
}
