package dev.millrace.conformance;

import dev.millrace.conformance.fuzz.EchoSocket;
import dev.millrace.connector.BioConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.connector.TlsConnectionFactory;
import dev.millrace.files.SendfileHandler;
import dev.millrace.uuid.UuidServlet;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;

/**
 * The same applications behind each kind of connector, one server each, on free ports of the loopback interface. There
 * are files below {@code /}, the UUID service below {@code /uuids/}, and a WebSocket at {@code /ws} that sends back
 * what it gets. A greeting is elsewhere, and comes late at {@link #LATER}. Servers speak HTTP/1.1, HTTP/2 in clear
 * text, and with a key HTTP/2 over TLS on a port of its own. Used by one thread.
 */
public final class Listeners implements AutoCloseable {
    /** Jetty's own connector, which the others are compared with. */
    public static final String CONTROL = "jetty";

    /** The path of an answer that comes after what the client has sent with its request. */
    public static final String LATER = "/later";

    private static final long LATER_MILLIS = 100;

    /** The size of the largest messages of the Autobahn test suite. */
    private static final int MOST_MESSAGE_BYTES = 16 * 1024 * 1024;

    /** The password of the key store. */
    public static final String PASSWORD = "password";

    private final List<Server> servers = new ArrayList<>();
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private final Map<String, Integer> securePorts = new LinkedHashMap<>();
    private final Path keys;

    /** Greets after it has read the request's content. */
    private static final class Greeting extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            Content.Source.consumeAll(request);
            response.getHeaders().put("Content-Type", "text/plain;charset=utf-8");
            response.getHeaders().put("Cache-Control", "no-store");
            if (Request.getPathInContext(request).equals(LATER)) {
                request.getComponents()
                        .getScheduler()
                        .schedule(() -> greet(response, callback), LATER_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                greet(response, callback);
            }
            return true;
        }

        private static void greet(Response response, Callback callback) {
            Content.Sink.write(response, true, "Hello, world!", callback);
        }
    }

    /**
     * Starts all listeners that this JDK has.
     *
     * @param files served below {@code /}
     */
    public Listeners(Path files) throws Exception {
        this(files, null);
    }

    /**
     * Starts all listeners that this JDK has.
     *
     * @param files served below {@code /}
     * @param keys key store of a server (PKCS #12) with {@link #PASSWORD}; null for no TLS
     * @throws Exception when a listener cannot start; none runs then
     */
    public Listeners(Path files, Path keys) throws Exception {
        this.keys = keys;
        try {
            start(CONTROL, files, (server, factories) -> new ServerConnector(server, 1, 1, factories));
            start("nio", files, (server, factories) -> new NioConnector(server, 1, 1, factories));
            start("bio-platform", files, (server, factories) -> bio("platform", server, factories));
            if (VirtualThreads.areSupported()) {
                start("bio-virtual", files, (server, factories) -> bio("virtual", server, factories));
            }
        } catch (Exception x) {
            close();
            throw x;
        }
    }

    private static ServerConnector bio(String threads, Server server, ConnectionFactory... factories) {
        BioConnector connector = new BioConnector(server, factories);
        connector.setThreads(threads);
        return connector;
    }

    private void start(String name, Path files, BiFunction<Server, ConnectionFactory[], ServerConnector> connectors)
            throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setName(name);
        Server server = new Server(threads);
        HttpConfiguration http = new HttpConfiguration();
        ServerConnector connector = connectors.apply(
                server,
                new ConnectionFactory[] {new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http)});
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServerConnector secure = keys == null ? null : connectors.apply(server, secureProtocols(name, keys));
        if (secure != null) {
            secure.setHost("127.0.0.1");
            server.addConnector(secure);
        }
        server.setHandler(new Handler.Sequence(webSocket(server), uuids(), files(files), new Greeting()));
        servers.add(server);
        server.start();
        ports.put(name, connector.getLocalPort());
        if (secure != null) {
            securePorts.put(name, secure.getLocalPort());
        }
    }

    private static ConnectionFactory[] secureProtocols(String name, Path keys) {
        SslContextFactory.Server ssl = new SslContextFactory.Server();
        ssl.setKeyStorePath(keys.toString());
        ssl.setKeyStorePassword(PASSWORD);
        ConnectionFactory alpn = new ALPNServerConnectionFactory("h2");
        return new ConnectionFactory[] {
            name.equals(CONTROL)
                    ? new SslConnectionFactory(ssl, alpn.getProtocol())
                    : new TlsConnectionFactory(ssl, alpn.getProtocol()),
            alpn,
            new HTTP2ServerConnectionFactory(new HttpConfiguration())
        };
    }

    private static Handler files(Path directory) {
        SendfileHandler files = new SendfileHandler();
        files.setBaseResourceAsString(directory.toUri().toString());
        files.setEtags(true);
        return files;
    }

    private static Handler webSocket(Server server) {
        return WebSocketUpgradeHandler.from(server, container -> {
            container.setMaxBinaryMessageSize(MOST_MESSAGE_BYTES);
            container.setMaxTextMessageSize(MOST_MESSAGE_BYTES);
            container.setMaxFrameSize(MOST_MESSAGE_BYTES);
            container.addMapping("/ws", (request, response, callback) -> new EchoSocket());
        });
    }

    private static Handler uuids() {
        ServletContextHandler context = new ServletContextHandler("/uuids");
        context.addServlet(UuidServlet.class, "/generate-uuid");
        return context;
    }

    /** The port of each listener by its name, the control's first. */
    public Map<String, Integer> ports() {
        return ports;
    }

    /** The port of HTTP/2 over TLS of each listener by its name; empty without a key. */
    public Map<String, Integer> securePorts() {
        return securePorts;
    }

    @Override
    public void close() throws Exception {
        for (Server server : servers) {
            server.stop();
        }
    }
}
