package dev.millrace.modules;

import dev.millrace.connector.MillraceConnector;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.jspecify.annotations.Nullable;

/**
 * Has connectors expect the PROXY protocol, in both its versions, before the protocol that they begin with, be it TLS. Jetty's
 * module adds it to Jetty's own connector, which it opens for that.
 */
public final class ProxyProtocol {
    private ProxyProtocol() {}

    /**
     * Called by the module's XML before the server starts.
     *
     * @param server whose connectors are meant
     * @param names of these, separated by commas, each of all that have it; null for all connectors of Millrace
     * @throws IllegalArgumentException if there is none, or none of a name
     */
    public static void expect(Server server, @Nullable String names) {
        List<MillraceConnector> connectors = Arrays.stream(server.getConnectors())
                .filter(MillraceConnector.class::isInstance)
                .map(MillraceConnector.class::cast)
                .toList();
        if (connectors.isEmpty()) {
            throw new IllegalArgumentException(
                    "millrace-proxy-protocol needs a connector: add millrace-nio, millrace-bio or a TLS form of these");
        }
        if (names == null) {
            connectors.forEach(ProxyProtocol::expect);
            return;
        }
        Set<MillraceConnector> chosen = new LinkedHashSet<>();
        for (String name : names.split(",")) {
            List<MillraceConnector> named = connectors.stream()
                    .filter(connector -> name.strip().equals(connector.getName()))
                    .toList();
            if (named.isEmpty()) {
                throw new IllegalArgumentException("millrace.proxyProtocol.connectors: no connector \"" + name.strip()
                        + "\" among "
                        + connectors.stream().map(MillraceConnector::getName).toList());
            }
            chosen.addAll(named);
        }
        chosen.forEach(ProxyProtocol::expect);
    }

    // What follows is named: after HTTP/2 was added, TLS is not the next one in the connector's list.
    private static void expect(MillraceConnector connector) {
        connector.addFirstConnectionFactory(new ProxyConnectionFactory(connector.getDefaultProtocol()));
    }
}
