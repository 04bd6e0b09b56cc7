package dev.millrace.connector;

import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.annotation.Name;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * Jetty's factory of TLS connections, whose connections write many records at once. Jetty writes each record of 16 KiB by itself.
 * To be used in place of {@link SslConnectionFactory}, with any connector:
 *
 * <pre>{@code new NioConnector(server, new TlsConnectionFactory(ssl, "http/1.1"), new HttpConnectionFactory())}</pre>
 *
 * <p>Files that {@code SendfileHandler} serves are read into what is encrypted, or come from its content cache. No mapping is read.
 *
 * <p>Thread-safe once it is started.
 */
public class TlsConnectionFactory extends SslConnectionFactory {
    private final TlsMemory memory;

    /**
     * Makes connections of TLS.
     *
     * @param sslContextFactory keys and settings of TLS; started and stopped with this
     * @param next the protocol within TLS: {@code http/1.1}, or {@code alpn} where the client chooses
     */
    public TlsConnectionFactory(
            @Name("sslContextFactory") SslContextFactory.Server sslContextFactory, @Name("next") String next) {
        this(sslContextFactory, next, new TlsMemory());
    }

    TlsConnectionFactory(SslContextFactory.Server sslContextFactory, String next, TlsMemory memory) {
        super(sslContextFactory, next);
        this.memory = memory;
    }

    @Override
    public void configure(Connector connector) {
        super.configure(connector);
        IdleTlsMemory.watch(memory, connector);
    }

    @Override
    protected SslConnection newSslConnection(Connector connector, EndPoint endPoint, SSLEngine engine) {
        if (!memory.isWatched()) {
            IdleTlsMemory.watchFromNowOn(memory, connector);
        }
        return TlsConnection.of(this, memory, connector, endPoint, engine);
    }
}
