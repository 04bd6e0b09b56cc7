package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Asynchronous servlets and WebSocket, with more in flight in both directions than the sockets hold. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class AsyncContractTest {
    private static final int BYTES = 24_000_000;

    @Parameter
    Connectors connectors;

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private TestServer server(HttpServlet servlet) throws Exception {
        return new TestServer(connectors::http).start(context(servlet));
    }

    private static ServletContextHandler context(HttpServlet servlet) {
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/*");
        return context;
    }

    /** Reads whatever comes, and writes it back when it can. */
    private static final class Echo extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            new Exchange(request, response).start();
        }

        private static final class Exchange implements ReadListener, WriteListener {
            private final AsyncContext context;
            private final ServletInputStream in;
            private final ServletOutputStream out;
            private final Queue<byte[]> queue = new ArrayDeque<>();
            private boolean read;
            private boolean done;

            private Exchange(HttpServletRequest request, HttpServletResponse response) throws IOException {
                response.setContentLengthLong(request.getContentLengthLong());
                context = request.startAsync();
                context.setTimeout(0);
                in = request.getInputStream();
                out = response.getOutputStream();
            }

            private void start() {
                in.setReadListener(this);
                out.setWriteListener(this);
            }

            @Override
            public void onDataAvailable() throws IOException {
                while (in.isReady()) {
                    byte[] piece = new byte[32 * 1024];
                    int n = in.read(piece);
                    if (n < 0) {
                        return;
                    }
                    queue.add(java.util.Arrays.copyOf(piece, n));
                }
                onWritePossible();
            }

            @Override
            public void onAllDataRead() throws IOException {
                read = true;
                onWritePossible();
            }

            @Override
            public void onWritePossible() throws IOException {
                while (out.isReady()) {
                    byte[] piece = queue.poll();
                    if (piece != null) {
                        out.write(piece);
                    } else {
                        if (read && !done) {
                            done = true;
                            context.complete();
                        }
                        return;
                    }
                }
            }

            @Override
            public void onError(Throwable failure) {
                if (!done) {
                    done = true;
                    context.complete();
                }
            }
        }
    }

    @Test
    void echoesToAClientThatSendsEverythingFirst() throws Exception {
        byte[] body = random(BYTES);
        try (TestServer server = server(new Echo()); RawClient client = server.client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length + "\r\n\r\n");
            client.send(body);
            assertArrayEquals(body, client.answer().body());
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nagain");
            assertEquals("again", client.answer().text());
            // The request ends on a thread of the pool, after its answer: stopping must not overtake it.
            client.close();
            server.awaitNoEndPoints();
        }
    }

    @Test
    void echoesOverHttp2() throws Exception {
        byte[] body = random(BYTES);
        HttpConfiguration configuration = new HttpConfiguration();
        TestServer http2 = new TestServer(s -> connectors.on(s, new HttpConnectionFactory(configuration),
                new HTTP2CServerConnectionFactory(configuration)));
        try (TestServer server = http2.start(context(new Echo()))) {
            HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + server.port() + "/"));
            // What has no body upgrades the connection.
            assertEquals(405, client.send(request.GET().build(), HttpResponse.BodyHandlers.discarding()).statusCode());
            request.POST(HttpRequest.BodyPublishers.ofByteArray(body));
            HttpResponse<byte[]> echo = client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray())
                    .get(30, TimeUnit.SECONDS);
            assertEquals(HttpClient.Version.HTTP_2, echo.version());
            assertArrayEquals(body, echo.body());
        }
    }

    @Test
    void answersFromAnotherThread() throws Exception {
        HttpServlet later = new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) {
                AsyncContext context = request.startAsync();
                context.start(() -> {
                    try {
                        response.getWriter().print(request.getRequestURI());
                        context.complete();
                    } catch (IOException x) {
                        throw new java.io.UncheckedIOException(x);
                    }
                });
            }
        };
        try (TestServer server = server(later); RawClient client = server.client()) {
            for (int i = 0; i < 20; i++) {
                assertEquals("/" + i, client.get("/" + i).answer().text());
            }
            for (int i = 0; i < 20; i++) {
                client.get("/" + i);
            }
            for (int i = 0; i < 20; i++) {
                assertEquals("/" + i, client.answer().text());
            }
        }
    }

    @Test
    void dispatchesAgain() throws Exception {
        HttpServlet twice = new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                if (request.getAttribute("again") == null) {
                    request.setAttribute("again", true);
                    request.startAsync().dispatch();
                } else {
                    response.getWriter().print("twice");
                }
            }
        };
        try (TestServer server = server(twice); RawClient client = server.client()) {
            for (int i = 0; i < 5; i++) {
                assertEquals("twice", client.get("/").answer().text());
            }
        }
    }

    /** Sends back every message, however slowly it is taken. */
    public static final class EchoSocket implements Session.Listener.AutoDemanding {
        private Session session;

        @Override
        public void onWebSocketOpen(Session opened) {
            session = opened;
        }

        @Override
        public void onWebSocketBinary(ByteBuffer payload, org.eclipse.jetty.websocket.api.Callback callback) {
            ByteBuffer copy = ByteBuffer.allocate(payload.remaining()).put(payload).flip();
            session.sendBinary(copy, org.eclipse.jetty.websocket.api.Callback.NOOP);
            callback.succeed();
        }
    }

    @Test
    void echoesOverWebSocket() throws Exception {
        echoOverWebSocket(new TestServer(connectors::http), HttpClient.newHttpClient(), "ws", BYTES);
    }

    @Test
    void echoesOverWebSocketInsideTls(@TempDir Path directory) throws Exception {
        Tls tls = new Tls(directory);
        TestServer server = new TestServer(s -> connectors.on(s, new SslConnectionFactory(tls.server(), "http/1.1"),
                new HttpConnectionFactory()));
        echoOverWebSocket(server, HttpClient.newBuilder().sslContext(tls.client()).build(), "wss", BYTES / 4);
    }

    private static void echoOverWebSocket(TestServer server, HttpClient client, String scheme, int bytes) throws Exception {
        WebSocketUpgradeHandler upgrade = WebSocketUpgradeHandler.from(server.server(), container ->
                container.addMapping("/", (request, response, callback) -> new EchoSocket()));
        try (server) {
            server.start(upgrade);
            Received received = new Received();
            URI uri = URI.create(scheme + "://localhost:" + server.port() + "/");
            WebSocket socket = client.newWebSocketBuilder().buildAsync(uri, received).get(10, TimeUnit.SECONDS);
            byte[] message = random(60_000);
            for (int i = 0; i < bytes / message.length; i++) {
                socket.sendBinary(ByteBuffer.wrap(message), true).get(10, TimeUnit.SECONDS);
            }
            socket.request(Long.MAX_VALUE);
            received.awaitBytes(bytes / message.length * (long) message.length);
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").get(10, TimeUnit.SECONDS);
            received.closed.get(10, TimeUnit.SECONDS);
            server.awaitNoEndPoints();
        }
    }

    /** Takes nothing until it is told to. */
    private static final class Received implements WebSocket.Listener {
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private final CompletableFuture<Void> all = new CompletableFuture<>();
        private long bytes;
        private long wanted = Long.MAX_VALUE;

        @Override
        public void onOpen(WebSocket socket) {
            // No request for messages yet.
        }

        @Override
        public synchronized CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            bytes += data.remaining();
            if (bytes == wanted) {
                all.complete(null);
            }
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.complete(status);
            return null;
        }

        private void awaitBytes(long count) throws Exception {
            synchronized (this) {
                wanted = count;
                if (bytes == count) {
                    return;
                }
            }
            all.get(30, TimeUnit.SECONDS);
        }
    }
}
