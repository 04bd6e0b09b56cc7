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

/** Makes the server's connectors, each of which is named after its kind. Stateless. */
final class Connectors {

    /** The kinds of connector that serve the application. */
    enum Kind {
        BIO(Option.BIO_PORT),
        NIO(Option.NIO_PORT),
        STOCK(Option.STOCK_PORT);

        final Option port;

        Kind(Option port) {
            this.port = port;
        }
    }

    private Connectors() {}

    /** Makes the connectors that the options ask for, in the order of {@link Kind}, and adds them to the server. */
    static List<ServerConnector> create(Server server, Options options) {
        List<ServerConnector> connectors = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (options.number(kind.port) >= 0) {
                ServerConnector connector = connector(kind, server, options);
                connector.setName(kind.name());
                connector.setPort(options.number(kind.port));
                configure(connector, options);
                server.addConnector(connector);
                connectors.add(connector);
            }
        }
        return connectors;
    }

    private static void configure(ServerConnector connector, Options options) {
        connector.setHost(options.text(Option.HOST));
        connector.setAcceptQueueSize(options.number(Option.ACCEPT_QUEUE_SIZE));
        int most = options.number(Option.MAX_CONNECTIONS);
        if (connector instanceof MillraceConnector millrace) {
            millrace.setMaxConnections(most);
            WriteStrategy.of(options.text(Option.WRITE_STRATEGY)).applyTo(millrace);
            String algorithm = options.text(Option.ALGORITHM);
            millrace.setAlgorithm(
                    algorithm.equals("EqualBlocking")
                            ? algorithm + "(" + options.number(Option.BUFFER_SIZE) + ")"
                            : algorithm);
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

    /** The URL of an open connector. */
    static String url(ServerConnector connector) {
        String host = connector.getHost();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + connector.getLocalPort();
    }
}
