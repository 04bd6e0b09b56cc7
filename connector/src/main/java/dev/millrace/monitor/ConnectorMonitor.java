package dev.millrace.monitor;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.jetty.HandlersListener;
import dev.millrace.transfer.TransferStatistics;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.eclipse.jetty.server.NetworkConnector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.annotation.Name;
import org.eclipse.jetty.util.component.Container;
import org.eclipse.jetty.util.thread.ThreadPool;

/**
 * Live figures of a server's connectors, Jetty's own among them, for its applications. Every context has them as an
 * attribute, in JDK types, because an application sees no class of the server.
 *
 * <pre>{@code
 * server.addBean(new ConnectorMonitor(server));
 * }</pre>
 *
 * <p>Add it before the server starts. Costs a lock when a connection opens or closes, and nothing for a request.
 * Thread-safe.
 */
@ManagedObject("Live figures of a server's connectors")
public final class ConnectorMonitor implements HandlersListener, Supplier<List<Map<String, Object>>> {
    /**
     * Name of the context attribute: a {@link Supplier} of a {@link List} of maps, one for each connector. A map has
     * {@code name}, {@code url}, {@code connector} (its class) and counters since the start.
     */
    public static final String CONTEXT_ATTRIBUTE = "dev.millrace.listeners";

    private final Server server;

    /** @param server whose connectors are shown */
    public ConnectorMonitor(@Name("server") Server server) {
        this.server = server;
    }

    @Override
    public void beanAdded(Container parent, Object child) {
        if (child instanceof ServerConnector connector && connector.getBean(Traffic.class) == null) {
            connector.addBean(new Traffic());
        } else if (child instanceof ContextHandler context) {
            context.setAttribute(CONTEXT_ATTRIBUTE, this);
        }
        HandlersListener.super.beanAdded(parent, child);
    }

    @Override
    public void beanRemoved(Container parent, Object child) {
        if (child instanceof ContextHandler context) {
            context.removeAttribute(CONTEXT_ATTRIBUTE);
        }
        HandlersListener.super.beanRemoved(parent, child);
    }

    @Override
    public List<Map<String, Object>> get() {
        List<Map<String, Object>> listeners = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (var connector : server.getConnectors()) {
            if (connector instanceof ServerConnector found) {
                Traffic traffic = found.getBean(Traffic.class);
                // A connector that is just being added to a running server has none yet.
                if (traffic != null) {
                    String name = name(found);
                    listeners.add(
                            of(found, traffic.totals(), names.add(name) ? name : name + " " + found.getLocalPort()));
                }
            }
        }
        return listeners;
    }

    @ManagedAttribute("Names of the connectors that are shown")
    public List<String> getNames() {
        return get().stream().map(figures -> (String) figures.get("name")).toList();
    }

    private static String name(ServerConnector connector) {
        if (connector.getName() != null) {
            return connector.getName();
        }
        String kind = connector instanceof BioConnector
                ? "BIO"
                : connector instanceof NioConnector
                        ? "NIO"
                        : connector.getClass().getSimpleName();
        return isSecure(connector) ? kind + " TLS" : kind;
    }

    private static boolean isSecure(ServerConnector connector) {
        // The PROXY protocol may come before it.
        return connector.getProtocols().contains("ssl");
    }

    /** The address to type; right once the connector is open. A star is every address of the host. */
    private static String url(NetworkConnector connector, boolean isSecure) {
        String host = connector.getHost() == null ? "*" : connector.getHost();
        return (isSecure ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host) + ":"
                + connector.getLocalPort();
    }

    private Map<String, Object> of(ServerConnector connector, Traffic.Totals totals, String name) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("name", name);
        figures.put("url", url(connector, isSecure(connector)));
        figures.put("connector", connector.getClass().getName());
        figures.put("requests", totals.requests());
        figures.put("connections", connector.getConnectedEndPoints().size());
        figures.put("accepted", totals.accepted());
        if (connector instanceof BioConnector bio) {
            figures.put("threads", bio.getConnectionThreadCount());
            figures.put("threadsShared", false);
        } else {
            // Connectors that have no pool of their own share the server's, acceptors and selectors included. With
            // HTTP/2 only the selector manager has the pool itself.
            ThreadPool shared = server.getThreadPool();
            ThreadPool pool = connector.getSelectorManager().getExecutor() instanceof ThreadPool own ? own : shared;
            // Threads that come between the two looks, and are idle at once, are none to take away.
            figures.put("threads", Math.max(0, pool.getThreads() - pool.getIdleThreads()));
            figures.put("threadsShared", pool == shared);
        }
        if (connector instanceof MillraceConnector millrace) {
            TransferStatistics transfers = millrace.getTransferStatistics();
            figures.put("bytesBySendfile", transfers.getTransferredBytes());
            figures.put("bytesByCopy", transfers.getCopiedBytes());
            figures.put("transfers", transfers.getRunning());
        } else {
            figures.put("bytesBySendfile", 0L);
            figures.put("bytesByCopy", totals.bytesOut());
        }
        return figures;
    }

    @Override
    public String toString() {
        return "ConnectorMonitor[" + server.getConnectors().length + " connectors]";
    }
}
