package dev.millrace.spring;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.connector.TlsConnectionFactory;
import java.util.Arrays;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jetty.JettyServerCustomizer;
import org.springframework.boot.jetty.JettyWebServerFactory;

/**
 * Puts a connector of Millrace in the place of Spring Boot's own. The new connector has the protocols, address, TLS and
 * limit of the other, and its threads and buffers where these are not the server's. This customizer comes before all
 * that set something on connectors, so that they set it on the new one.
 *
 * @param factory made the server
 * @param kind which connector
 * @param settings what else is set on the connector
 */
record ConnectorReplacement(JettyWebServerFactory factory, MillraceProperties.Kind kind, ConnectorSettings settings)
        implements JettyServerCustomizer {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectorReplacement.class);
    private static final String BOOT = "org.springframework.boot.jetty.";

    @Override
    public void customize(Server server) {
        Connector[] connectors = server.getConnectors();
        if (connectors.length != 1 || !isReplaceable(connectors[0])) {
            LOG.warn(
                    "Leaving the server's connectors as they are: they are not Spring Boot's own, but {}",
                    Arrays.toString(connectors));
            return;
        }
        ServerConnector given = (ServerConnector) connectors[0];
        MillraceConnector connector = connector(
                given,
                given.getConnectionFactories().stream()
                        .map(ConnectorReplacement::writingManyRecords)
                        .toArray(ConnectionFactory[]::new));
        takeOver(given, connector);
        settings.apply(connector);
        SslConnectionFactory tls = connector.getConnectionFactory(SslConnectionFactory.class);
        if (tls != null) {
            connector.addBean(new KeyAliasCheck(tls.getSslContextFactory()));
        }
        limit(server, connector);
        server.setConnectors(new Connector[] {connector});
    }

    /** Whether Spring Boot has made a connector. One of the application's own stays, because it may do anything. */
    private static boolean isReplaceable(Connector connector) {
        return connector instanceof ServerConnector
                && (connector.getClass() == ServerConnector.class
                        || connector.getClass().getName().startsWith(BOOT));
    }

    /**
     * The protocol, or for Jetty's own TLS, which writes each record alone, ours. The application's own classes stay.
     */
    private static ConnectionFactory writingManyRecords(ConnectionFactory protocol) {
        if (protocol.getClass() != SslConnectionFactory.class) {
            return protocol;
        }
        SslConnectionFactory given = (SslConnectionFactory) protocol;
        SslConnectionFactory tls = new TlsConnectionFactory(given.getSslContextFactory(), given.getNextProtocol());
        tls.setInputBufferSize(given.getInputBufferSize());
        tls.setDirectBuffersForEncryption(given.isDirectBuffersForEncryption());
        tls.setDirectBuffersForDecryption(given.isDirectBuffersForDecryption());
        tls.setEnsureSecureRequestCustomizer(given.isEnsureSecureRequestCustomizer());
        return tls;
    }

    private MillraceConnector connector(ServerConnector given, ConnectionFactory[] protocols) {
        Server server = given.getServer();
        Executor executor = own(given.getExecutor(), server.getThreadPool());
        Scheduler scheduler = own(given.getScheduler(), server.getScheduler());
        ByteBufferPool buffers = own(given.getByteBufferPool(), server.getByteBufferPool());
        // With TLS, Spring Boot has made the connector anew, without the values of these properties.
        int acceptors = factory.getAcceptors() < 0 ? given.getAcceptors() : factory.getAcceptors();
        if (kind == MillraceProperties.Kind.NIO) {
            int selectors = factory.getSelectors() > 0
                    ? factory.getSelectors()
                    : given.getSelectorManager().getSelectorCount();
            return new NioConnector(server, executor, scheduler, buffers, acceptors, selectors, protocols);
        }
        if (factory.getAcceptors() == 0) {
            throw new MillraceConfigurationException(
                    "The property server.jetty.threads.acceptors is 0, which lets selectors accept, and the connector is bio.",
                    "Remove server.jetty.threads.acceptors, or set millrace.connector=nio.",
                    null);
        }
        return new BioConnector(server, executor, scheduler, buffers, Math.max(1, acceptors), protocols);
    }

    /** What is the connector's own; null for what is the server's, because a connector stops what it is given. */
    private static <T> @Nullable T own(T given, T ofServer) {
        return given == ofServer ? null : given;
    }

    private static void takeOver(ServerConnector given, MillraceConnector connector) {
        connector.setDefaultProtocol(given.getDefaultProtocol());
        connector.setName(given.getName());
        connector.setHost(given.getHost());
        connector.setPort(given.getPort());
        connector.setIdleTimeout(given.getIdleTimeout());
        connector.setShutdownIdleTimeout(given.getShutdownIdleTimeout());
        connector.setAcceptorPriorityDelta(given.getAcceptorPriorityDelta());
        connector.setAcceptQueueSize(given.getAcceptQueueSize());
        connector.setInheritChannel(given.isInheritChannel());
        connector.setReuseAddress(given.getReuseAddress());
        connector.setReusePort(given.isReusePort());
        connector.setAcceptedTcpNoDelay(given.getAcceptedTcpNoDelay());
        connector.setAcceptedReceiveBufferSize(given.getAcceptedReceiveBufferSize());
        connector.setAcceptedSendBufferSize(given.getAcceptedSendBufferSize());
    }

    // The given limit watches the connector that is replaced, or with TLS one that Spring Boot has replaced itself.
    private static void limit(Server server, MillraceConnector connector) {
        NetworkConnectionLimit given = server.getBean(NetworkConnectionLimit.class);
        if (given == null) {
            return;
        }
        server.removeBean(given);
        int most = given.getMaxNetworkConnectionCount();
        if (most > 0 && connector.getAcceptors() > 0) {
            connector.setMaxConnections(most);
        } else {
            server.addBean(new NetworkConnectionLimit(most, connector));
        }
    }
}
