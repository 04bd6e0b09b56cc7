package dev.millrace.metrics;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.ConnectorStatistics;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.connector.SelectorStatistics;
import dev.millrace.transfer.TransferPermits;
import dev.millrace.transfer.TransferStatistics;
import dev.millrace.transfer.TransferWorkers;
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
        bindEnds(registry);
        bindTransfers(registry);
        if (connector instanceof BioConnector bio) {
            bindThreads(bio, registry);
        } else if (connector instanceof NioConnector nio) {
            bindSelectors(nio, registry);
        }
    }

    private void bindConnections(MeterRegistry registry) {
        String open = "Open connections";
        gauge("millrace.connections", open, of -> of.getConnectedEndPoints().size(), registry);
        String lingering = "Answered connections that linger";
        gauge("millrace.connections.lingering", lingering, MillraceConnector::getLingeringConnections, registry);
        if (connector.getMaxConnections() > 0) {
            String most = "Most connections that may be open";
            gauge("millrace.connections.max", most, MillraceConnector::getMaxConnections, registry);
        }
    }

    private void bindEnds(MeterRegistry registry) {
        slow("head", MillraceConnector::getSlowHeads, registry);
        slow("request", MillraceConnector::getSlowRequests, registry);
        slow("response", MillraceConnector::getSlowResponses, registry);
        String pauses = "Pauses of accepting, because the system could not accept";
        counter("millrace.accept.pauses", pauses, connector, MillraceConnector::getAcceptPauses)
                .register(registry);
        String cut = "Answered connections that were reset while they lingered, or that could not linger";
        counter("millrace.lingering.cut", cut, connector, MillraceConnector::getCutLingeringConnections)
                .register(registry);
    }

    private void bindTransfers(MeterRegistry registry) {
        TransferStatistics transfers = connector.getTransferStatistics();
        String running = "Transfers of files that are not at their end";
        gauge("millrace.transfers.running", running, transfers, TransferStatistics::getRunning, registry);
        ended("completed", TransferStatistics::getCompleted, registry);
        ended("aborted", TransferStatistics::getAborted, registry);
        String truncated = "Aborted transfers whose file became shorter";
        counter("millrace.transfers.truncated", truncated, transfers, TransferStatistics::getTruncations)
                .register(registry);
        sent("sendfile", TransferStatistics::getTransferredBytes, registry);
        sent("memory", TransferStatistics::getCopiedBytes, registry);
        String most = "Turns of transfers that may be taken at once";
        gauge("millrace.workers", most, MillraceConnector::getWorkers, registry);
    }

    private void bindThreads(BioConnector bio, MeterRegistry registry) {
        turns(bio.getTransferPermits(), TransferPermits::getBusy, TransferPermits::getQueued, registry);
        String threads = "Threads that serve connections";
        gauge("millrace.threads", threads, bio, BioConnector::getConnectionThreadCount, registry);
        ConnectorStatistics statistics = bio.getConnectorStatistics();
        waiting("read", statistics, ConnectorStatistics::getThreadsInRead, registry);
        waiting("write", statistics, ConnectorStatistics::getThreadsInWrite, registry);
        changes(statistics, ConnectorStatistics::getWakeUps, ConnectorStatistics::getHandOvers, registry);
        String refused = "Connections closed when accepted: no thread could be had, or a listener failed";
        counter("millrace.connections.refused", refused, statistics, ConnectorStatistics::getRefusedConnections)
                .register(registry);
    }

    private void bindSelectors(NioConnector nio, MeterRegistry registry) {
        turns(nio.getTransferWorkers(), TransferWorkers::getBusy, TransferWorkers::getQueued, registry);
        SelectorStatistics statistics = nio.getSelectorStatistics();
        waiting("read", statistics, SelectorStatistics::getConnectionsInRead, registry);
        waiting("write", statistics, SelectorStatistics::getConnectionsInWrite, registry);
        changes(statistics, SelectorStatistics::getWakeUps, SelectorStatistics::getHandOvers, registry);
    }

    private void slow(String kind, ToDoubleFunction<MillraceConnector> figure, MeterRegistry registry) {
        counter("millrace.slow.peers", "Peers that were ended because they were too slow", connector, figure)
                .tag("kind", kind)
                .register(registry);
    }

    private void ended(String outcome, ToDoubleFunction<TransferStatistics> figure, MeterRegistry registry) {
        String ended = "Transfers of files that have ended";
        counter("millrace.transfers", ended, connector.getTransferStatistics(), figure)
                .tag("outcome", outcome)
                .register(registry);
    }

    private void sent(String way, ToDoubleFunction<TransferStatistics> figure, MeterRegistry registry) {
        String sent = "Bytes that sockets have taken, by the way they went";
        counter("millrace.sent", sent, connector.getTransferStatistics(), figure)
                .tag("way", way)
                .baseUnit(BaseUnits.BYTES)
                .register(registry);
    }

    private <T> void turns(T of, ToDoubleFunction<T> busy, ToDoubleFunction<T> queued, MeterRegistry registry) {
        gauge("millrace.workers.busy", "Turns of transfers that are taken now", of, busy, registry);
        gauge("millrace.transfers.queued", "Transfers of files that wait for their turn", of, queued, registry);
    }

    private <T> void waiting(String in, T of, ToDoubleFunction<T> figure, MeterRegistry registry) {
        Gauge.builder("millrace.waiting", of, figure)
                .description("Connections that wait for their peer: for its bytes, or for it to take some")
                .tags(tags.and("in", in))
                .register(registry);
    }

    private <T> void changes(T of, ToDoubleFunction<T> wakeUps, ToDoubleFunction<T> handOvers, MeterRegistry registry) {
        String woken = "Wake-ups of threads, or of selectors, that had waited for a peer";
        counter("millrace.wake.ups", woken, of, wakeUps).register(registry);
        String handed = "Hand-overs of a connection to another thread";
        counter("millrace.hand.overs", handed, of, handOvers).register(registry);
    }

    private void gauge(
            String name, String description, ToDoubleFunction<MillraceConnector> figure, MeterRegistry registry) {
        gauge(name, description, connector, figure, registry);
    }

    private <T> void gauge(String name, String description, T of, ToDoubleFunction<T> figure, MeterRegistry registry) {
        Gauge.builder(name, of, figure).description(description).tags(tags).register(registry);
    }

    private <T> FunctionCounter.Builder<T> counter(String name, String description, T of, ToDoubleFunction<T> figure) {
        return FunctionCounter.builder(name, of, figure)
                .description(description)
                .tags(tags);
    }
}
