package dev.millrace.metrics;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.transfer.TransferStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/**
 * Meters of one connector.
 *
 * @param tags tell it from others
 */
record ConnectorMeters(MillraceConnector connector, Tags tags) implements MeterBinder {
    @Override
    public void bindTo(MeterRegistry registry) {
        bindConnections(registry);
        bindTransfers(registry);
        bindSent(registry);
    }

    private void bindConnections(MeterRegistry registry) {
        gauge(
                        "millrace.connections",
                        "Open connections",
                        found -> found.getConnectedEndPoints().size())
                .register(registry);
        gauge(
                        "millrace.connections.lingering",
                        "Answered connections that linger",
                        found -> found.getLingeringConnections())
                .register(registry);
        if (connector.getMaxConnections() > 0) {
            gauge("millrace.connections.max", "Most connections that may be open", found -> found.getMaxConnections())
                    .register(registry);
        }
        String slow = "Peers that were ended because they were too slow";
        counter("millrace.slow.peers", slow, MillraceConnector::getSlowHeads)
                .tag("kind", "head")
                .register(registry);
        counter("millrace.slow.peers", slow, MillraceConnector::getSlowRequests)
                .tag("kind", "request")
                .register(registry);
        counter("millrace.slow.peers", slow, MillraceConnector::getSlowResponses)
                .tag("kind", "response")
                .register(registry);
        counter(
                        "millrace.accept.pauses",
                        "Pauses of accepting, because the system could not accept",
                        MillraceConnector::getAcceptPauses)
                .register(registry);
    }

    private void bindTransfers(MeterRegistry registry) {
        gauge("millrace.transfers.running", "Transfers of files that are not at their end", ConnectorMeters::running)
                .register(registry);
        gauge("millrace.transfers.queued", "Transfers of files that wait for their turn", ConnectorMeters::queued)
                .register(registry);
        String ended = "Transfers of files that have ended";
        counter(
                        "millrace.transfers",
                        ended,
                        found -> found.getTransferStatistics().getCompleted())
                .tag("outcome", "completed")
                .register(registry);
        counter(
                        "millrace.transfers",
                        ended,
                        found -> found.getTransferStatistics().getAborted())
                .tag("outcome", "aborted")
                .register(registry);
    }

    private void bindSent(MeterRegistry registry) {
        String sent = "Bytes that sockets have taken, by the way they went";
        counter("millrace.sent", sent, found -> found.getTransferStatistics().getTransferredBytes())
                .tag("way", "sendfile")
                .baseUnit(BaseUnits.BYTES)
                .register(registry);
        counter("millrace.sent", sent, found -> found.getTransferStatistics().getCopiedBytes())
                .tag("way", "memory")
                .baseUnit(BaseUnits.BYTES)
                .register(registry);
    }

    private static double running(MillraceConnector connector) {
        TransferStatistics transfers = connector.getTransferStatistics();
        // Ends first: one between two reads must not make it negative.
        long ended = transfers.getCompleted() + transfers.getAborted();
        return Math.max(0, transfers.getRegions() - ended);
    }

    private static double queued(MillraceConnector connector) {
        if (connector instanceof NioConnector nio) {
            return nio.getTransferWorkers().getQueued();
        }
        return connector instanceof BioConnector bio ? bio.getTransferPermits().getQueued() : 0;
    }

    private Gauge.Builder<MillraceConnector> gauge(
            String name, String description, ToDoubleFunction<MillraceConnector> figure) {
        return Gauge.builder(name, connector, figure).description(description).tags(tags);
    }

    private FunctionCounter.Builder<MillraceConnector> counter(
            String name, String description, ToDoubleFunction<MillraceConnector> figure) {
        return FunctionCounter.builder(name, connector, figure)
                .description(description)
                .tags(tags);
    }
}
