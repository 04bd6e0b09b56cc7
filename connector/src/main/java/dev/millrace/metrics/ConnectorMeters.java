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
        gauge(
                "millrace.connections",
                "Open connections",
                of -> of.getConnectedEndPoints().size(),
                registry);
        gauge(
                "millrace.connections.lingering",
                "Answered connections that linger",
                MillraceConnector::getLingeringConnections,
                registry);
        if (connector.getMaxConnections() > 0) {
            String most = "Most connections that may be open";
            gauge("millrace.connections.max", most, MillraceConnector::getMaxConnections, registry);
        }
        slow("head", MillraceConnector::getSlowHeads, registry);
        slow("request", MillraceConnector::getSlowRequests, registry);
        slow("response", MillraceConnector::getSlowResponses, registry);
        String pauses = "Pauses of accepting, because the system could not accept";
        counter("millrace.accept.pauses", pauses, MillraceConnector::getAcceptPauses)
                .register(registry);
        String running = "Transfers of files that are not at their end";
        gauge("millrace.transfers.running", running, ofTransfers(TransferStatistics::getRunning), registry);
        String queued = "Transfers of files that wait for their turn";
        gauge("millrace.transfers.queued", queued, ConnectorMeters::queued, registry);
        ended("completed", TransferStatistics::getCompleted, registry);
        ended("aborted", TransferStatistics::getAborted, registry);
        sent("sendfile", TransferStatistics::getTransferredBytes, registry);
        sent("memory", TransferStatistics::getCopiedBytes, registry);
    }

    private void slow(String kind, ToDoubleFunction<MillraceConnector> figure, MeterRegistry registry) {
        counter("millrace.slow.peers", "Peers that were ended because they were too slow", figure)
                .tag("kind", kind)
                .register(registry);
    }

    private void ended(String outcome, ToDoubleFunction<TransferStatistics> figure, MeterRegistry registry) {
        counter("millrace.transfers", "Transfers of files that have ended", ofTransfers(figure))
                .tag("outcome", outcome)
                .register(registry);
    }

    private void sent(String way, ToDoubleFunction<TransferStatistics> figure, MeterRegistry registry) {
        counter("millrace.sent", "Bytes that sockets have taken, by the way they went", ofTransfers(figure))
                .tag("way", way)
                .baseUnit(BaseUnits.BYTES)
                .register(registry);
    }

    private static ToDoubleFunction<MillraceConnector> ofTransfers(ToDoubleFunction<TransferStatistics> figure) {
        return connector -> figure.applyAsDouble(connector.getTransferStatistics());
    }

    private static double queued(MillraceConnector connector) {
        if (connector instanceof NioConnector nio) {
            return nio.getTransferWorkers().getQueued();
        }
        return connector instanceof BioConnector bio ? bio.getTransferPermits().getQueued() : 0;
    }

    private void gauge(
            String name, String description, ToDoubleFunction<MillraceConnector> figure, MeterRegistry registry) {
        Gauge.builder(name, connector, figure)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private FunctionCounter.Builder<MillraceConnector> counter(
            String name, String description, ToDoubleFunction<MillraceConnector> figure) {
        return FunctionCounter.builder(name, connector, figure)
                .description(description)
                .tags(tags);
    }
}
