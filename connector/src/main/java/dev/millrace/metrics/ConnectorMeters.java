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
import java.util.function.ToDoubleFunction;

/**
 * Meters of one connector.
 *
 * @param tags tell it from others
 */
record ConnectorMeters(MillraceConnector connector, Tags tags, MeterRegistry registry) {
    void bind() {
        bindConnections();
        bindEnds();
        bindTransfers();
        if (connector instanceof BioConnector bio) {
            bindThreads(bio);
        } else if (connector instanceof NioConnector nio) {
            bindSelectors(nio);
        }
    }

    private void bindConnections() {
        gauge("millrace.connections", "Open connections", connector, MillraceConnector::getOpenConnections);
        String lingering = "Answered connections that linger";
        gauge("millrace.connections.lingering", lingering, connector, MillraceConnector::getLingeringConnections);
        if (connector.getMaxConnections() > 0) {
            String most = "Most connections that may be open";
            gauge("millrace.connections.max", most, connector, MillraceConnector::getMaxConnections);
        }
    }

    private void bindEnds() {
        slow("head", MillraceConnector::getSlowHeads);
        slow("request", MillraceConnector::getSlowRequests);
        slow("response", MillraceConnector::getSlowResponses);
        String pauses = "Pauses of accepting, because the system could not accept";
        counter("millrace.accept.pauses", pauses, connector, MillraceConnector::getAcceptPauses);
        String cut = "Answered connections that were reset while they lingered, or that could not linger";
        counter("millrace.lingering.cut", cut, connector, MillraceConnector::getCutLingeringConnections);
    }

    private void bindTransfers() {
        TransferStatistics transfers = connector.getTransferStatistics();
        String running = "Transfers of files that are not at their end";
        gauge("millrace.transfers.running", running, transfers, TransferStatistics::getRunning);
        String ended = "Transfers of files that have ended";
        counter("millrace.transfers", ended, transfers, TransferStatistics::getCompleted, "outcome", "completed");
        counter("millrace.transfers", ended, transfers, TransferStatistics::getAborted, "outcome", "aborted");
        String truncated = "Answers that failed because their file became shorter";
        counter("millrace.transfers.truncated", truncated, transfers, TransferStatistics::getTruncations);
        sent("sendfile", TransferStatistics::getTransferredBytes);
        sent("memory", TransferStatistics::getCopiedBytes);
        String most = "Turns of transfers that may be taken at once";
        gauge("millrace.workers", most, connector, MillraceConnector::getWorkers);
    }

    private void bindThreads(BioConnector bio) {
        turns(bio.getTransferPermits(), TransferPermits::getBusy, TransferPermits::getQueued);
        String threads = "Threads that serve connections";
        gauge("millrace.threads", threads, bio, BioConnector::getConnectionThreadCount);
        ConnectorStatistics statistics = bio.getConnectorStatistics();
        waiting("read", statistics, ConnectorStatistics::getThreadsInRead);
        waiting("write", statistics, ConnectorStatistics::getThreadsInWrite);
        changes(statistics, ConnectorStatistics::getWakeUps, ConnectorStatistics::getHandOvers);
        String refused = "Connections closed when accepted: no thread could be had, or a listener failed";
        counter("millrace.connections.refused", refused, statistics, ConnectorStatistics::getRefusedConnections);
    }

    private void bindSelectors(NioConnector nio) {
        turns(nio.getTransferWorkers(), TransferWorkers::getBusy, TransferWorkers::getQueued);
        SelectorStatistics statistics = nio.getSelectorStatistics();
        waiting("read", statistics, SelectorStatistics::getConnectionsInRead);
        waiting("write", statistics, SelectorStatistics::getConnectionsInWrite);
        changes(statistics, SelectorStatistics::getWakeUps, SelectorStatistics::getHandOvers);
    }

    private void slow(String kind, ToDoubleFunction<MillraceConnector> figure) {
        String ended = "Peers that were ended because they were too slow";
        counter("millrace.slow.peers", ended, connector, figure, "kind", kind);
    }

    private void sent(String way, ToDoubleFunction<TransferStatistics> figure) {
        FunctionCounter.builder("millrace.sent", connector.getTransferStatistics(), figure)
                .description("Bytes that sockets have taken, by the way they went")
                .tags(tags.and("way", way))
                .baseUnit(BaseUnits.BYTES)
                .register(registry);
    }

    private <T> void turns(T of, ToDoubleFunction<T> busy, ToDoubleFunction<T> queued) {
        gauge("millrace.workers.busy", "Turns of transfers that are taken now", of, busy);
        gauge("millrace.transfers.queued", "Transfers of files that wait for their turn", of, queued);
    }

    private <T> void waiting(String in, T of, ToDoubleFunction<T> figure) {
        String waiting = "Connections that wait for their peer: for its bytes, or for it to take some";
        gauge("millrace.waiting", waiting, of, figure, "in", in);
    }

    private <T> void changes(T of, ToDoubleFunction<T> wakeUps, ToDoubleFunction<T> handOvers) {
        String woken = "Wake-ups of threads, or of selectors, that had waited for a peer";
        counter("millrace.wake.ups", woken, of, wakeUps);
        counter("millrace.hand.overs", "Hand-overs of a connection to another thread", of, handOvers);
    }

    private <T> void gauge(String name, String description, T of, ToDoubleFunction<T> figure, String... more) {
        Gauge.builder(name, of, figure)
                .description(description)
                .tags(tags.and(more))
                .register(registry);
    }

    private <T> void counter(String name, String description, T of, ToDoubleFunction<T> figure, String... more) {
        FunctionCounter.builder(name, of, figure)
                .description(description)
                .tags(tags.and(more))
                .register(registry);
    }
}
