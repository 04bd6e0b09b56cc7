package dev.millrace.conformance.fuzz;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileHandler;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;

/** A server with one connector on a free port of the loopback interface, which can be asked whether a connection rests. */
final class Tested implements AutoCloseable {
    /** The kinds of server that are compared. The first is the control. */
    enum Kind {
        JETTY(server -> new ServerConnector(server, 1, 1, http())),
        NIO(server -> new NioConnector(server, 1, 1)),
        BIO(server -> threads(new BioConnector(server), "platform")),
        BIO_VIRTUAL(server -> threads(new BioConnector(server), "virtual"));

        private final Function<Server, ServerConnector> connectors;

        Kind(Function<Server, ServerConnector> connectors) {
            this.connectors = connectors;
        }

        // With its cache of fields, Jetty reads "Host: A" as "Host: a" if that came before. Our connectors have no
        // cache by default.
        private static HttpConnectionFactory http() {
            HttpConfiguration configuration = new HttpConfiguration();
            configuration.setHeaderCacheSize(0);
            return new HttpConnectionFactory(configuration);
        }

        private static ServerConnector threads(BioConnector connector, String threads) {
            connector.setThreads(threads);
            return connector;
        }
    }

    private static final int PORTS = 1 << 16;

    private final String name;
    private final Server server;
    private final ServerConnector connector;
    private final AtomicReferenceArray<Served> served = new AtomicReferenceArray<>(PORTS);

    /** The connections of an end point, one after the other, and the bytes that those before the last have read. */
    private record Served(EndPoint endPoint, Connection connection, long bytesBefore) {}

    /** Takes the first segment from the path, as a context would, but has no alias checks. */
    private static final class Mount extends Handler.Wrapper {
        private final String prefix;

        private Mount(String prefix, Handler handler) {
            super(handler);
            this.prefix = prefix;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String path = Request.getPathInContext(request);
            if (!path.startsWith(prefix + "/")) {
                return false;
            }
            HttpURI uri = HttpURI.build(request.getHttpURI()).path(path.substring(prefix.length()));
            return super.handle(Request.serveAs(request, uri), response, callback);
        }
    }

    /** Starts a server over the given files. */
    Tested(Kind kind, Path files) throws Exception {
        this(kind.name(), kind.connectors, files);
    }

    Tested(String name, Function<Server, ServerConnector> connectors, Path files) throws Exception {
        this.name = name;
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setName(name);
        server = new Server(threads);
        connector = connectors.apply(server);
        connector.setHost("127.0.0.1");
        connector.setAcceptQueueSize(1024);
        connector.addBean(new Connection.Listener() {
            @Override
            public void onOpened(Connection connection) {
                opened(connection);
            }
        });
        server.addConnector(connector);
        server.setHandler(new Handler.Sequence(
                WebSocketUpgradeHandler.from(
                        server,
                        container -> container.addMapping("/ws", (request, response, callback) -> new EchoSocket())),
                new Mount("/files", files(new ResourceHandler(), files)),
                new Mount("/sendfile", files(new SendfileHandler(), files)),
                new Application()));
        server.start();
    }

    private static ResourceHandler files(ResourceHandler handler, Path directory) {
        handler.setBaseResourceAsString(directory.toUri().toString());
        handler.setEtags(true);
        return handler;
    }

    private void opened(Connection connection) {
        EndPoint endPoint = connection.getEndPoint();
        if (endPoint.getRemoteSocketAddress() instanceof InetSocketAddress client) {
            Served before = served.get(client.getPort());
            long bytes = before != null && before.endPoint == endPoint
                    ? before.bytesBefore + before.connection.getBytesIn()
                    : 0;
            served.set(client.getPort(), new Served(endPoint, connection, bytes));
        }
    }

    String name() {
        return name;
    }

    InetSocketAddress address() {
        return new InetSocketAddress("127.0.0.1", connector.getLocalPort());
    }

    /**
     * Whether the server has read that many bytes of a client, has written what it wants to, and waits for more.
     *
     * @param clientPort by which the client is known
     */
    boolean rests(int clientPort, long bytes) {
        Served one = served.get(clientPort);
        return one != null
                && one.endPoint.isOpen()
                && one.bytesBefore + one.connection.getBytesIn() >= bytes
                && one.endPoint.isFillInterested()
                && !(one.endPoint instanceof AbstractEndPoint writing
                        && writing.getWriteFlusher().isPending());
    }

    /** What the server says of a client's connection, for a report of one that is stuck. */
    String describe(int clientPort) {
        Served one = served.get(clientPort);
        return one == null ? "never opened" : one.endPoint + " " + one.connection;
    }

    /** The connections that are still open, as texts. */
    List<String> connections() {
        return connector.getConnectedEndPoints().stream().map(Object::toString).toList();
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
