package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.testing.WebSocketStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * WebSocket over streams of HTTP/2 (RFC 8441), and its end. What comes of a stream behind the server's word that it closes may be read by
 * nobody. Jetty then keeps its buffer, on its own connector too: so no client here sends any.
 */
@Timeout(60)
class WebSocketOverHttp2ContractTest {
    private static final int BYTES = 2_000_000;
    private static final int GRACE_MILLIS = 100;
    private static final int PERIOD_MILLIS = 20;
    /** So many take longer than a request may be without content. */
    private static final int LOOKS = 5 + 4 * GRACE_MILLIS / PERIOD_MILLIS;

    private static final Tls TLS = new Tls();

    /** Sends back every message; of the text {@code block} it waits for its writes. */
    public static final class Echo implements Session.Listener.AutoDemanding {
        private final BlockingQueue<Echo> opened;
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private Session session;

        Echo(BlockingQueue<Echo> opened) {
            this.opened = opened;
        }

        @Override
        public void onWebSocketOpen(Session opening) {
            session = opening;
            opened.add(this);
        }

        @Override
        public void onWebSocketText(String message) {
            if (message.equals("block")) {
                Callback.Completable.with(c -> session.sendText("begun", c)).join();
                Callback.Completable.with(c -> session.sendText("done", c)).join();
            } else {
                session.sendText(message, Callback.NOOP);
            }
        }

        @Override
        public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
            ByteBuffer copy =
                    ByteBuffer.allocate(payload.remaining()).put(payload).flip();
            session.sendBinary(copy, Callback.NOOP);
            callback.succeed();
        }

        @Override
        public void onWebSocketClose(int status, String reason, Callback callback) {
            closed.complete(status);
            callback.succeed();
        }

        private int awaitClosed() throws Exception {
            return closed.get(30, TimeUnit.SECONDS);
        }
    }

    /** A server, a client's connection, and a WebSocket over one of its streams, seen from both sides. */
    private static final class Opened {
        private final TestServer server;
        private final RawClient client;
        private final Http2Frames frames;
        private final WebSocketStream socket;
        private final Echo echo;

        private Opened(TestServer server, RawClient client, BlockingQueue<Echo> opened) throws Exception {
            this.server = server;
            this.client = client;
            frames = new Http2Frames(client);
            socket = new WebSocketStream(frames, "/echo");
            echo = opened.poll(30, TimeUnit.SECONDS);
            assertNotNull(echo);
        }

        private void assertEchoes(String message) throws Exception {
            socket.text(message);
            assertEquals(message, socket.receive().text());
        }

        private void assertServesRequests() throws Exception {
            assertEquals(Handlers.HELLO, frames.get("/").content());
        }

        private void assertClosedByServer() throws Exception {
            assertEquals(1001, socket.receive().status());
            assertServesRequests();
            client.close();
            echo.awaitClosed();
        }
    }

    private interface Case {
        void run(Opened opened) throws Exception;
    }

    private static void onAll(boolean secure, Case shown) throws Exception {
        AtOnce.on(Connectors.all(), connectors -> {
            BlockingQueue<Echo> echos = new LinkedBlockingQueue<>();
            try (TestServer server = server(connectors, secure)) {
                server.start(upgrade(server, echos));
                try (RawClient client =
                        secure ? TLS.over(new Socket("127.0.0.1", server.port()), "h2") : server.client()) {
                    shown.run(new Opened(server, client, echos));
                }
                server.awaitNoEndPoints();
            }
        });
    }

    private static TestServer server(Connectors connectors, boolean secure) {
        HttpConfiguration http = new HttpConfiguration();
        return new TestServer(s -> secure
                ? connectors.on(
                        s,
                        connectors.tls(TLS.server(), "alpn"),
                        new ALPNServerConnectionFactory("h2"),
                        open(new HTTP2ServerConnectionFactory(http)))
                : connectors.on(s, open(new HTTP2CServerConnectionFactory(http))));
    }

    private static Handler upgrade(TestServer server, BlockingQueue<Echo> echos) {
        WebSocketUpgradeHandler handler = WebSocketUpgradeHandler.from(server.server(), container -> {
            container.setMaxTextMessageSize(BYTES);
            container.setMaxBinaryMessageSize(BYTES);
            container.addMapping("/echo", (request, response, callback) -> new Echo(echos));
        });
        handler.setHandler(Handlers.hello());
        return handler;
    }

    private static <F extends AbstractHTTP2ServerConnectionFactory> F open(F http2) {
        http2.setInitialSessionRecvWindow(4 * BYTES);
        http2.setInitialStreamRecvWindow(4 * BYTES);
        return http2;
    }

    private static byte[] text(int size) {
        return "x".repeat(size).getBytes(StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void echoesBesideOtherStreams(boolean secure) throws Exception {
        onAll(secure, opened -> {
            WebSocketStream other = new WebSocketStream(opened.frames, "/echo");
            for (int i = 0; i < 100; i++) {
                opened.assertEchoes("hello " + i);
                other.send(WebSocketStream.BINARY, RandomBytes.of(i));
                assertArrayEquals(RandomBytes.of(i), other.receive().content());
            }
            opened.assertServesRequests();
            opened.socket.send(WebSocketStream.PING, RandomBytes.of(5));
            assertEquals(WebSocketStream.PONG, opened.socket.receive().type());
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void echoesManyThatComeTogether(boolean secure) throws Exception {
        onAll(secure, opened -> {
            for (int i = 0; i < 1000; i++) {
                opened.socket.text("hello " + i);
            }
            for (int i = 0; i < 1000; i++) {
                assertEquals("hello " + i, opened.socket.receive().text());
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void echoesWhatIsLargerThanTheWindows(boolean secure) throws Exception {
        onAll(secure, opened -> {
            opened.socket.send(WebSocketStream.BINARY, RandomBytes.of(BYTES));
            opened.socket.send(WebSocketStream.TEXT, text(BYTES));
            // So long the server has sent what the windows allow, and waits.
            opened.frames.openWindow(0, 8 * BYTES);
            opened.frames.openWindow(opened.socket.stream(), 8 * BYTES);
            assertArrayEquals(RandomBytes.of(BYTES), opened.socket.receive().content());
            assertArrayEquals(text(BYTES), opened.socket.receive().content());
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void mayWaitForItsWrites(boolean secure) throws Exception {
        onAll(secure, opened -> {
            for (int i = 0; i < 10; i++) {
                opened.socket.text("block");
                assertEquals("begun", opened.socket.receive().text());
                assertEquals("done", opened.socket.receive().text());
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void maySaySeldomThings(boolean secure) throws Exception {
        onAll(secure, opened -> {
            if (opened.server.connector() instanceof MillraceConnector connector) {
                ConnectionSweeper slowPeers = connector.getBean(ConnectionSweeper.class);
                slowPeers.setPeriodMillis(PERIOD_MILLIS);
                connector.setSlowPeerGraceMillis(GRACE_MILLIS);
                connector.setSlowRequestsAlwaysEnded(true);
                long enough = slowPeers.getLooks() + LOOKS;
                Await.until("looked", () -> slowPeers.getLooks() >= enough);
            }
            opened.assertEchoes("still there");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isClosedByItsPeer(boolean secure) throws Exception {
        onAll(secure, opened -> {
            opened.socket.text("last");
            opened.socket.close(1000);
            assertEquals("last", opened.socket.receive().text());
            assertEquals(1000, opened.socket.receive().status());
            assertTrue(opened.socket.isEnded());
            assertEquals(1000, opened.echo.awaitClosed());
            opened.assertServesRequests();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isClosedByTheApplication(boolean secure) throws Exception {
        onAll(secure, opened -> {
            opened.echo.session.sendText("last", Callback.NOOP);
            opened.echo.session.close(1001, "bye", Callback.NOOP);
            assertEquals("last", opened.socket.receive().text());
            opened.assertClosedByServer();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isClosedWhenItIsIdle(boolean secure) throws Exception {
        onAll(secure, opened -> {
            opened.echo.session.setIdleTimeout(Duration.ofMillis(100));
            opened.assertClosedByServer();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isToldThatItsStreamHasEnded(boolean secure) throws Exception {
        onAll(secure, opened -> {
            opened.socket.end();
            assertEquals(1006, opened.echo.awaitClosed());
            opened.assertServesRequests();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isToldThatItsStreamWasReset(boolean secure) throws Exception {
        onAll(secure, opened -> {
            opened.frames.cancel();
            opened.echo.awaitClosed();
            opened.assertServesRequests();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isToldThatItsPeerIsGone(boolean secure) throws Exception {
        onAll(secure, opened -> {
            opened.client.close();
            opened.echo.awaitClosed();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isToldThatItsPeerIsGoneWhileAMessageWaitsForAWindow(boolean secure) throws Exception {
        onAll(secure, opened -> {
            CompletableFuture<Void> sent = Callback.Completable.with(
                    c -> opened.echo.session.sendBinary(ByteBuffer.wrap(RandomBytes.of(BYTES)), c));
            opened.frames.next(opened.socket.stream());
            opened.client.close();
            opened.echo.awaitClosed();
            Await.until("the write has failed", sent::isCompletedExceptionally);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isToldThatItsConnectorStops(boolean secure) throws Exception {
        onAll(secure, opened -> {
            opened.assertEchoes("hi");
            opened.server.connector().stop();
            opened.echo.awaitClosed();
        });
    }
}
