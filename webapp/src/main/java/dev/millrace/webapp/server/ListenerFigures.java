package dev.millrace.webapp.server;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.transfer.TransferStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The listeners' live figures for {@code /stats}: JDK types only, for the application sees no class of the server. */
final class ListenerFigures implements Supplier<List<Map<String, Object>>> {
    private final QueuedThreadPool pool;
    private final List<Listener> listeners;

    ListenerFigures(QueuedThreadPool pool, List<Listener> listeners) {
        this.pool = pool;
        this.listeners = listeners;
    }

    @Override
    public List<Map<String, Object>> get() {
        return listeners.stream().map(this::of).toList();
    }

    private Map<String, Object> of(Listener listener) {
        Traffic.Totals totals = listener.traffic().totals();
        ServerConnector connector = listener.connector();
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("name", listener.kind().name());
        figures.put("url", listener.url());
        figures.put("connector", connector.getClass().getName());
        figures.put("requests", totals.requests());
        figures.put("connections", totals.connections());
        figures.put("accepted", totals.accepted());
        if (connector instanceof BioConnector bio) {
            figures.put("threads", bio.getConnectionThreadCount());
            figures.put("threadsShared", false);
            transfers(figures, bio.getTransferStatistics());
        } else {
            // The pool is shared by all selector listeners; acceptors and selectors are among its threads.
            figures.put("threads", pool.getThreads() - pool.getIdleThreads());
            figures.put("threadsShared", true);
            if (connector instanceof NioConnector nio) {
                transfers(figures, nio.getTransferStatistics());
            } else {
                figures.put("bytesBySendfile", 0L);
                figures.put("bytesByCopy", totals.bytesOut());
            }
        }
        return figures;
    }

    private static void transfers(Map<String, Object> figures, TransferStatistics transfers) {
        figures.put("bytesBySendfile", transfers.getTransferredBytes());
        figures.put("bytesByCopy", transfers.getCopiedBytes());
        figures.put("transfers", transfers.getRegions() - transfers.getCompleted() - transfers.getAborted());
    }
}
