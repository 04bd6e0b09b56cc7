package dev.millrace.metrics;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;

/**
 * The figures of a server's connectors and of the files that it serves, as meters of Micrometer.
 *
 * <pre>{@code
 * new MillraceMetrics(server).bindTo(registry);
 * }</pre>
 *
 * <p>Bind it when the server has its connectors. Connectors that come later are not seen; files are, wherever they are served. Bytes
 * count while they are sent. A meter reads what is counted anyway, when the registry asks. Thread-safe.
 */
public final class MillraceMetrics implements MeterBinder {
    private final Server server;
    private final Tags tags;

    /** @param server whose figures they are; the meters do not keep it from being collected */
    public MillraceMetrics(Server server) {
        this(server, List.of());
    }

    /**
     * @param server whose figures they are; the meters do not keep it from being collected
     * @param tags of all meters, to tell several servers apart
     */
    public MillraceMetrics(Server server, Iterable<Tag> tags) {
        this.server = server;
        this.tags = Tags.of(tags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Set<String> names = new HashSet<>();
        for (Connector found : server.getConnectors()) {
            if (found instanceof MillraceConnector connector) {
                new ConnectorMeters(connector, tags.and("connector", name(connector, names)), registry).bind();
            }
        }
        new FileMeters(server, tags, registry).bind();
    }

    /** Its own name, or its kind; with a number where that is taken. */
    private static String name(MillraceConnector connector, Set<String> names) {
        String kind = connector instanceof BioConnector ? "bio" : "nio";
        String name = connector.getName() == null ? kind : connector.getName();
        String unique = name;
        for (int i = 2; !names.add(unique); i++) {
            unique = name + "-" + i;
        }
        return unique;
    }
}
