package dev.millrace.webapp.server;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The listeners' live figures for {@code /stats}: JDK types only, since the application sees no class of the server. */
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
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("name", listener.kind().name());
        figures.put("url", listener.url());
        figures.put("connector", listener.connector().getClass().getName());
        figures.put("requests", totals.requests());
        figures.put("connections", totals.connections());
        figures.put("accepted", totals.accepted());
        figures.put("threads", pool.getThreads() - pool.getIdleThreads());
        figures.put("bytesOut", totals.bytesOut());
        return figures;
    }
}
