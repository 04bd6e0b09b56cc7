package dev.millrace.modules;

import dev.millrace.connector.MillraceConnector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Server;

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
     * @param names of these, separated by commas; null for all connectors of Millrace
     * @throws IllegalArgumentException if there is none, or none of a name
     */
    public static void expect(Server server, String names) {
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
        List<MillraceConnector> chosen = new ArrayList<>();
        for (String name : names.split(",")) {
            chosen.add(connectors.stream()
                    .filter(connector -> name.strip().equals(connector.getName()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("millrace.proxyProtocol.connectors: no connector "
                            + name.strip() + " among "
                            + connectors.stream()
                                    .map(MillraceConnector::getName)
                                    .toList())));
        }
        chosen.forEach(ProxyProtocol::expect);
    }

    // What follows is named: after HTTP/2 was added, TLS is not the next one in the connector's list.
    private static void expect(MillraceConnector connector) {
        connector.addFirstConnectionFactory(new ProxyConnectionFactory(connector.getDefaultProtocol()));
    }
}
