package dev.millrace.peers;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.connector.TlsConnectionFactory;
import dev.millrace.files.SendfileSettings;
import java.nio.file.Path;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options for the connector of the peers that run on Jetty, and for their files. What is null is left to the peer
 * or to the connector. Used by one thread.
 */
final class ConnectorSettings {
    private static final String PASSWORD = "measured";

    /** The kinds of connector: Jetty's own, and those of Millrace. */
    enum Kind {
        stock,
        bio,
        nio
    }

    @Option(
            names = "--connector",
            paramLabel = "KIND",
            description = "peers on Jetty: stock, bio or nio; nio for those of Millrace, stock for the others")
    private @Nullable Kind kind;

    @Option(names = "--threads", paramLabel = "KIND", description = "bio: platform, virtual or auto")
    private @Nullable String threads;

    @Option(names = "--dispatch", paramLabel = "KIND", description = "nio: adaptive, selector or handoff")
    private @Nullable String dispatch;

    @Option(
            names = "--selectors",
            paramLabel = "N",
            description = "nio, stock: number of selectors; -1: Jetty's choice")
    private @Nullable Integer selectors;

    @Option(
            names = "--read-ahead-bytes",
            paramLabel = "N",
            description = "bio: the most that each connection's reader takes before its protocol does")
    private @Nullable Integer readAheadBytes;

    @Option(names = "--http2", description = "peers on Jetty: HTTP/2 too")
    private boolean isHttp2;

    @Option(
            names = "--tls",
            paramLabel = "KEYSTORE",
            description = "peers on Jetty: over TLS; a keystore (PKCS #12), whose password is " + PASSWORD)
    private @Nullable Path keyStore;

    @Option(names = "--algorithm", paramLabel = "NAME", description = "bio, nio: how transfers share the workers")
    private @Nullable String algorithm;

    @Option(names = "--workers", paramLabel = "N", description = "bio, nio: most transfers in a turn at once")
    private @Nullable Integer workers;

    @Option(
            names = "--max-gather-bytes",
            paramLabel = "N",
            description = "peers of Millrace: contents up to this size leave with their header; 0: none")
    private @Nullable Integer maxGatherBytes;

    @Option(
            names = "--max-cache-bytes",
            paramLabel = "N",
            description = "peers of Millrace: memory of the content cache; 0: none")
    private @Nullable Integer maxCacheBytes;

    /** Whether the user has given one of these options. */
    boolean given() {
        return kind != null
                || threads != null
                || readAheadBytes != null
                || dispatch != null
                || selectors != null
                || algorithm != null
                || workers != null
                || maxGatherBytes != null
                || maxCacheBytes != null
                || isHttp2
                || isSecure();
    }

    boolean isSecure() {
        return keyStore != null;
    }

    void apply(SendfileSettings files) {
        if (maxGatherBytes != null) {
            files.setMaxGatherBytes(maxGatherBytes);
        }
        if (maxCacheBytes != null) {
            files.setMaxCacheBytes(maxCacheBytes);
        }
    }

    void apply(ServletHolder files) {
        if (maxGatherBytes != null) {
            files.setInitParameter("maxGatherBytes", maxGatherBytes.toString());
        }
        if (maxCacheBytes != null) {
            files.setInitParameter("maxCacheSize", maxCacheBytes.toString());
        }
    }

    /**
     * Makes the connector.
     *
     * @param otherwise the kind when none was asked for
     * @throws IllegalArgumentException when an option does not fit the kind
     */
    ServerConnector connector(Server server, Kind otherwise) {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        Kind wanted = kind == null ? otherwise : kind;
        check(wanted);
        ConnectionFactory[] protocols =
                keyStore == null ? clear(configuration) : secure(configuration, wanted, keyStore);
        int count = selectors == null ? -1 : selectors;
        return switch (wanted) {
            case stock -> new ServerConnector(server, -1, count, protocols);
            case bio -> {
                BioConnector bio = new BioConnector(server, protocols);
                if (threads != null) {
                    bio.setThreads(threads);
                }
                if (readAheadBytes != null) {
                    bio.setReadAheadBytes(readAheadBytes);
                }
                yield transfers(bio);
            }
            case nio -> {
                NioConnector nio = new NioConnector(server, -1, count, protocols);
                if (dispatch != null) {
                    nio.setDispatch(dispatch);
                }
                yield transfers(nio);
            }
        };
    }

    private ConnectionFactory[] clear(HttpConfiguration configuration) {
        HttpConnectionFactory http1 = new HttpConnectionFactory(configuration);
        return isHttp2
                ? new ConnectionFactory[] {http1, new HTTP2CServerConnectionFactory(configuration)}
                : new ConnectionFactory[] {http1};
    }

    private ConnectionFactory[] secure(HttpConfiguration configuration, Kind wanted, Path keysOfServer) {
        // Without the check of SNI: clients ask for 127.0.0.1, and an address is no name of a certificate.
        configuration.addCustomizer(new SecureRequestCustomizer(false));
        SslContextFactory.Server keys = new SslContextFactory.Server();
        keys.setKeyStorePath(keysOfServer.toString());
        keys.setKeyStorePassword(PASSWORD);
        HttpConnectionFactory http1 = new HttpConnectionFactory(configuration);
        String next = isHttp2 ? "alpn" : http1.getProtocol();
        ConnectionFactory tls =
                wanted == Kind.stock ? new SslConnectionFactory(keys, next) : new TlsConnectionFactory(keys, next);
        return isHttp2
                ? new ConnectionFactory[] {
                    tls,
                    new ALPNServerConnectionFactory("h2", "http/1.1"),
                    new HTTP2ServerConnectionFactory(configuration),
                    http1
                }
                : new ConnectionFactory[] {tls, http1};
    }

    private void check(Kind wanted) {
        if ((threads != null || readAheadBytes != null) && wanted != Kind.bio) {
            throw new IllegalArgumentException("--threads and --read-ahead-bytes are for --connector=bio");
        }
        if (dispatch != null && wanted != Kind.nio) {
            throw new IllegalArgumentException("--dispatch is for --connector=nio");
        }
        if (selectors != null && wanted == Kind.bio) {
            throw new IllegalArgumentException("--selectors is for --connector=nio or stock");
        }
        if ((algorithm != null || workers != null) && wanted == Kind.stock) {
            throw new IllegalArgumentException("--algorithm and --workers are for --connector=bio or nio");
        }
    }

    private ServerConnector transfers(MillraceConnector connector) {
        if (algorithm != null) {
            connector.setAlgorithm(algorithm);
        }
        if (workers != null) {
            connector.setWorkers(workers);
        }
        return connector;
    }
}
