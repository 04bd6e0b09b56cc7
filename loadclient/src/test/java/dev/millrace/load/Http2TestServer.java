package dev.millrace.load;

import javax.net.ssl.SSLContext;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.api.server.ServerSessionListener;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.RawHTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** Jetty, which speaks HTTP/2 and nothing else. */
public final class Http2TestServer implements AutoCloseable {

    private static final int MOST_FIELD_BYTES = 64 * 1024;

    private final ServerConnector connector;
    private final String scheme;

    private Http2TestServer(ServerConnector connector, String scheme) {
        this.connector = connector;
        this.scheme = scheme;
    }

    private static HttpConfiguration configuration() {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setRequestHeaderSize(MOST_FIELD_BYTES);
        configuration.setResponseHeaderSize(MOST_FIELD_BYTES);
        return configuration;
    }

    /** Clear text, with a bound on the streams of a connection. */
    public static Http2TestServer clear(Handler handler, int mostStreams) throws Exception {
        HTTP2CServerConnectionFactory factory = new HTTP2CServerConnectionFactory(configuration());
        factory.setMaxConcurrentStreams(mostStreams);
        return start(factory, handler);
    }

    /** Clear text, whose frames the listener answers. */
    public static Http2TestServer raw(ServerSessionListener listener) throws Exception {
        return start(new RawHTTP2ServerConnectionFactory(configuration(), listener), null);
    }

    private static Http2TestServer start(AbstractHTTP2ServerConnectionFactory factory, Handler handler)
            throws Exception {
        // The client of a test opens connections and sends as fast as it can, as an attacker does.
        factory.setRateControlFactory(new RateControl.Factory() {});
        Server server = new Server();
        return start(new ServerConnector(server, 1, 1, factory), "http", handler);
    }

    /** TLS with ALPN. */
    public static Http2TestServer secure(SSLContext tls, Handler handler) throws Exception {
        HttpConfiguration configuration = configuration();
        configuration.addCustomizer(new SecureRequestCustomizer(false));
        SslContextFactory.Server context = new SslContextFactory.Server();
        context.setSslContext(tls);
        Server server = new Server();
        ServerConnector connector = new ServerConnector(
                server,
                1,
                1,
                new SslConnectionFactory(context, "alpn"),
                new ALPNServerConnectionFactory("h2"),
                new HTTP2ServerConnectionFactory(configuration));
        return start(connector, "https", handler);
    }

    private static Http2TestServer start(ServerConnector connector, String scheme, Handler handler) throws Exception {
        connector.setHost("127.0.0.1");
        Http2TestServer test = new Http2TestServer(connector, scheme);
        Server server = connector.getServer();
        server.addConnector(connector);
        server.setHandler(handler);
        server.start();
        return test;
    }

    /** The URL of a path. */
    public String url(String path) {
        return scheme + "://127.0.0.1:" + connector.getLocalPort() + path;
    }

    @Override
    public void close() throws Exception {
        connector.getServer().stop();
    }
}
