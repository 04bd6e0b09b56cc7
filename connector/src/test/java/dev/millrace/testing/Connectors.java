package dev.millrace.testing;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.connector.TlsConnectionFactory;
import java.util.Arrays;
import java.util.stream.Stream;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * The connectors that the contract is for, and Jetty's own: a case that fails there is a wrong case. No signature has a type of HTTP/2, so
 * that {@link ServedFiles} can do without it.
 */
public enum Connectors {
    STOCK {
        @Override
        public ServerConnector on(Server server, ConnectionFactory... factories) {
            return new ServerConnector(server, 1, 1, factories);
        }
    },
    NIO {
        @Override
        public ServerConnector on(Server server, ConnectionFactory... factories) {
            return new NioConnector(server, 1, 1, factories);
        }
    },
    NIO_HANDOFF {
        @Override
        public ServerConnector on(Server server, ConnectionFactory... factories) {
            NioConnector connector = new NioConnector(server, 0, 2, factories);
            connector.setDispatch("handoff");
            return connector;
        }
    },
    NIO_SELECTOR {
        @Override
        public ServerConnector on(Server server, ConnectionFactory... factories) {
            NioConnector connector = new NioConnector(server, 1, 1, factories);
            connector.setDispatch("selector");
            return connector;
        }
    },
    BIO_PLATFORM {
        @Override
        public ServerConnector on(Server server, ConnectionFactory... factories) {
            BioConnector connector = new BioConnector(server, factories);
            connector.setThreads("platform");
            return connector;
        }
    },
    BIO_VIRTUAL {
        @Override
        public ServerConnector on(Server server, ConnectionFactory... factories) {
            BioConnector connector = new BioConnector(server, factories);
            connector.setThreads("virtual");
            return connector;
        }
    };

    public abstract ServerConnector on(Server server, ConnectionFactory... factories);

    public ServerConnector http(Server server) {
        return on(server, new HttpConnectionFactory());
    }

    /** HTTP/1.1 inside TLS. */
    public ServerConnector https(Server server, Tls tls) {
        HttpConnectionFactory http = new HttpConnectionFactory();
        return on(server, tls(tls.server(), http.getProtocol()), http);
    }

    /** HTTP/2 and nothing else, without TLS. */
    public ServerConnector http2(Server server) {
        return on(server, new HTTP2CServerConnectionFactory(new HttpConfiguration()));
    }

    /** HTTP/2 and nothing else, agreed on in the handshake of TLS. */
    public ServerConnector http2(Server server, Tls tls) {
        return on(
                server,
                tls(tls.server(), "alpn"),
                new ALPNServerConnectionFactory("h2"),
                new HTTP2ServerConnectionFactory(new HttpConfiguration()));
    }

    /** HTTP/1.1 and HTTP/2 on one port, without TLS. */
    public ServerConnector httpAndHttp2(Server server) {
        HttpConfiguration configuration = new HttpConfiguration();
        return on(server, new HttpConnectionFactory(configuration), new HTTP2CServerConnectionFactory(configuration));
    }

    /** TLS as it belongs to this connector: Jetty's with Jetty's own, ours with ours. */
    public SslConnectionFactory tls(SslContextFactory.Server ssl, String next) {
        return this == STOCK ? new SslConnectionFactory(ssl, next) : new TlsConnectionFactory(ssl, next);
    }

    /** The threads that a blocking connector may have in this JDK. */
    public static Stream<String> threads() {
        return VirtualThreads.areSupported() ? Stream.of("platform", "virtual") : Stream.of("platform");
    }

    /** All that this JDK has. */
    public static Stream<Connectors> all() {
        return Arrays.stream(values()).filter(c -> c != BIO_VIRTUAL || VirtualThreads.areSupported());
    }

    /** Those of Millrace that differ in how they send; a hand-over is over when a handler begins to. */
    public static Stream<Connectors> senders() {
        return ours().filter(c -> c != NIO_HANDOFF);
    }

    /** Those of Millrace. */
    public static Stream<Connectors> ours() {
        return all().filter(c -> c != STOCK);
    }
}
