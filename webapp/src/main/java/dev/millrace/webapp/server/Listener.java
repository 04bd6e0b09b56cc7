package dev.millrace.webapp.server;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** One port: its kind, and Jetty's connector behind it. */
record Listener(Kind kind, ServerConnector connector) {

    /** The three ways to serve the application. */
    enum Kind {
        BIO(Option.BIO_PORT), NIO(Option.NIO_PORT), STOCK(Option.STOCK_PORT);

        final Option port;

        Kind(Option port) {
            this.port = port;
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
            ServerConnector connector = connector(kind, server, options);
            connector.setName(kind.name());
            connector.setHost(options.text(Option.HOST));
            connector.setPort(port);
            configure(connector, options);
            server.addConnector(connector);
            listeners.add(new Listener(kind, connector));
        }
        return List.copyOf(listeners);
    }

    private static void configure(ServerConnector connector, Options options) {
        connector.setAcceptQueueSize(options.number(Option.ACCEPT_QUEUE_SIZE));
        int most = options.number(Option.MAX_CONNECTIONS);
        if (connector instanceof MillraceConnector millrace) {
            millrace.setMaxConnections(most);
            millrace.setWriteStrategy(options.text(Option.WRITE_STRATEGY));
            String algorithm = options.text(Option.ALGORITHM);
            millrace.setAlgorithm(algorithm.equals("EqualBlocking")
                ? algorithm + "(" + options.number(Option.BUFFER_SIZE) + ")" : algorithm);
            millrace.setWorkers(options.number(Option.WORKERS));
        } else if (most > 0) {
            connector.addBean(new NetworkConnectionLimit(most, connector));
        }
    }

    private static ServerConnector connector(Kind kind, Server server, Options options) {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        // Jetty takes -1 for "as many as suit the cores".
        int selectors = options.number(Option.SELECTORS) == 0 ? -1 : options.number(Option.SELECTORS);
        return switch (kind) {
            case BIO -> {
                BioConnector connector = new BioConnector(server, http);
                connector.setThreads(options.text(Option.THREADS));
                yield connector;
            }
            case NIO -> {
                NioConnector connector = new NioConnector(server, -1, selectors, http);
                connector.setDispatch(options.text(Option.DISPATCH));
                yield connector;
            }
            case STOCK -> new ServerConnector(server, -1, selectors, http);
        };
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
