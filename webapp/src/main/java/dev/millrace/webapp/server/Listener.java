package dev.millrace.webapp.server;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** One port: its kind, Jetty's connector behind it, and the traffic seen on it. */
record Listener(Kind kind, ServerConnector connector, Traffic traffic) {

    /** The three ways to serve the application. */
    enum Kind {
        BIO(Option.BIO_PORT), NIO(Option.NIO_PORT), STOCK(Option.STOCK_PORT);

        final Option port;

        Kind(Option port) {
            this.port = port;
        }

        private ServerConnector connector(Server server, Options options, HttpConnectionFactory http) {
            int selectors = options.number(Option.SELECTORS);
            return new ServerConnector(server, -1, selectors == 0 ? -1 : selectors, http);
        }
    }

    /** Makes the listeners that the options ask for, in the order BIO, NIO, stock, and adds them to the server. */
    static List<Listener> create(Server server, Options options) {
        List<Listener> listeners = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            int port = options.number(kind.port);
            if (port < 0) {
                continue;
            }
            HttpConfiguration http = new HttpConfiguration();
            http.setSendServerVersion(false);
            ServerConnector connector = kind.connector(server, options, new HttpConnectionFactory(http));
            connector.setName(kind.name());
            connector.setHost(options.text(Option.HOST));
            connector.setPort(port);
            Traffic traffic = new Traffic();
            connector.addBean(traffic);
            server.addConnector(connector);
            listeners.add(new Listener(kind, connector, traffic));
        }
        return List.copyOf(listeners);
    }

    /** Jetty's name of this listener in a context's virtual hosts. */
    String virtualHost() {
        return "@" + kind.name();
    }

    /** The address to type; right once the connector is open. */
    String url() {
        String host = connector.getHost();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + connector.getLocalPort();
    }
}
