package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.websocket.server.config.JettyWebSocketServletContainerInitializer;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** WebSocket, with more in flight in both directions than the sockets hold, and its end. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class WebSocketContractTest {
    private static final int BYTES = 24_000_000;

    @Parameter
    Connectors connectors;

    /** Sends back every message, however slowly it is taken. */
    public static final class EchoSocket implements Session.Listener.AutoDemanding {
        private Session session;

        @Override
        public void onWebSocketOpen(Session opened) {
            session = opened;
        }

        @Override
        public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
            ByteBuffer copy =
                    ByteBuffer.allocate(payload.remaining()).put(payload).flip();
            session.sendBinary(copy, Callback.NOOP);
            callback.succeed();
        }
    }

    @Test
    void echoesOverWebSocket() throws Exception {
        TestServer server = new TestServer(connectors::http);
        echo(server, upgrade(server), HttpClient.newHttpClient(), "ws", BYTES);
    }

    @Test
    void echoesOverWebSocketOfAServletContext() throws Exception {
        ServletContextHandler context = new ServletContextHandler("/");
        JettyWebSocketServletContainerInitializer.configure(
                context,
                (servletContext, container) -> container.addMapping("/", (request, response) -> new EchoSocket()));
        echo(new TestServer(connectors::http), context, HttpClient.newHttpClient(), "ws", BYTES / 4);
    }

    @Test
    void echoesOverWebSocketInsideTls() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        echo(
                server,
                upgrade(server),
                HttpClient.newBuilder().sslContext(tls.client()).build(),
                "wss",
                BYTES / 4);
    }

    private static Handler upgrade(TestServer server) {
        return WebSocketUpgradeHandler.from(
                server.server(),
                container -> container.addMapping("/", (request, response, callback) -> new EchoSocket()));
    }

    private static void echo(TestServer server, Handler handler, HttpClient client, String scheme, int bytes)
            throws Exception {
        try (server) {
            server.start(handler);
            Received received = new Received();
            URI uri = URI.create(scheme + "://localhost:" + server.port() + "/");
            WebSocket socket =
                    client.newWebSocketBuilder().buildAsync(uri, received).get(30, TimeUnit.SECONDS);
            byte[] message = RandomBytes.of(60_000);
            for (int i = 0; i < bytes / message.length; i++) {
                socket.sendBinary(ByteBuffer.wrap(message), true).get(30, TimeUnit.SECONDS);
            }
            socket.request(Long.MAX_VALUE);
            received.awaitBytes(bytes / message.length * (long) message.length);
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").get(30, TimeUnit.SECONDS);
            assertEquals(WebSocket.NORMAL_CLOSURE, received.closed.get(30, TimeUnit.SECONDS));
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
