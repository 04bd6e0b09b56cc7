package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that is stopped whatever its connections are doing stops in time, and leaves nothing behind. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class StopInTheMiddleTest {
    /** Jetty's pool interrupts a handler that still runs after half of it. */
    private static final long STOP_MILLIS = 1000;

    private static final int LARGE = 32 * 1024 * 1024;

    @TempDir
    static Path directory;

    @Parameter
    Connectors connectors;

    private final List<Scene> scenes = new ArrayList<>();

    /** A server whose one connection is in the middle of something. */
    private record Scene(String name, TestServer server, RawClient client) {
        private void stop() {
            try {
                server.close();
            } catch (Exception x) {
                throw new IllegalStateException(name, x);
            } catch (AssertionError x) {
                throw new AssertionError(name + ": " + x.getMessage(), x);
            }
        }
    }

    /** Does what the path says. */
    private static final class Application extends Handler.Abstract {
        private final CountDownLatch handling = new CountDownLatch(1);

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            handling.countDown();
            switch (Request.getPathInContext(request)) {
                case "/read" -> {
                    Content.Source.asByteBuffer(request);
                    callback.succeeded();
                }
                case "/run" -> new CountDownLatch(1).await();
                case "/large" -> {
                    response.getHeaders().put("Content-Length", LARGE);
                    response.write(true, ByteBuffer.allocateDirect(LARGE), callback);
                }
                case "/later" -> {
                    // Nobody will ever complete it.
                }
                default -> callback.succeeded();
            }
            return true;
        }
    }

    private TestServer server(Function<Server, ServerConnector> connector) {
        TestServer server = new TestServer(connector);
        ((QueuedThreadPool) server.server().getThreadPool()).setStopTimeout(STOP_MILLIS);
        return server;
    }

    private TestServer plain(Handler handler) throws Exception {
        return server(connectors::http).start(handler);
    }

    private TestServer secure(Handler handler) throws Exception {
        Tls tls = new Tls();
        return server(s -> connectors.https(s, tls)).start(handler);
    }

    private void request(String name, String bytes, boolean handled) throws Exception {
        Application application = new Application();
        TestServer server = plain(application);
        RawClient client = new RawClient(server.port(), 4096).send(bytes);
        scenes.add(new Scene(name, server, client));
        if (handled) {
            assertTrue(application.handling.await(30, TimeUnit.SECONDS));
        }
        Await.until("connected", () -> server.events().opened() == 1);
        if (bytes.startsWith("GET /large")) {
            server.awaitBlockedWrite();
        }
    }

    private void blockedFile() throws Exception {
        TestFiles.write(directory, "large.bin", LARGE);
        SendfileHandler files = Handlers.files(directory);
        TestServer server = plain(files);
        RawClient client = new RawClient(server.port(), 4096).get("/large.bin");
        scenes.add(new Scene("blocked file", server, client));
        server.awaitBlockedWrite();
    }

    private void handshake() throws Exception {
        TestServer server = secure(new Application());
        RawClient client = server.client().send(new byte[] {0x16, 0x03, 0x01});
        scenes.add(new Scene("handshake", server, client));
        Await.until("connected", () -> server.events().opened() > 0);
    }

    private void blockedTls() throws Exception {
        TestServer server = secure(new Application());
        RawClient client = new Tls().connect(server.port()).get("/large");
        scenes.add(new Scene("blocked write over TLS", server, client));
        server.awaitBlockedWrite();
    }

    private void idleTls() throws Exception {
        TestServer server = secure(new Application());
        RawClient client = new Tls().connect(server.port()).get("/");
        client.answer();
        scenes.add(new Scene("idle TLS", server, client));
    }

    private void blockedHttp2() throws Exception {
        TestServer server = server(connectors::httpAndHttp2).start(new Application());
        blockedHttp2("blocked HTTP/2", server, new RawClient(server.port(), 4096));
    }

    private void blockedHttp2OverTls() throws Exception {
        Tls tls = new Tls();
        TestServer server = server(s -> connectors.http2(s, tls)).start(new Application());
        blockedHttp2("blocked HTTP/2 over TLS", server, tls.over(new RawClient(server.port(), 4096).socket(), "h2"));
    }

    private void blockedHttp2(String name, TestServer server, RawClient client) throws Exception {
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                // SETTINGS with INITIAL_WINDOW_SIZE, and a WINDOW_UPDATE of the connection: as much as there can be.
                .send(new byte[] {0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, -1, -1, -1})
                .send(new byte[] {0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, -1, 0, 0})
                // HEADERS of stream 1: GET, http, :path /large, :authority localhost, as the certificate says.
                .send(new byte[] {0, 0, 21, 1, 5, 0, 0, 0, 1, (byte) 0x82, (byte) 0x86, 0x44, 6})
                .send("/large")
                .send(new byte[] {0x41, 9})
                .send("localhost");
        scenes.add(new Scene(name, server, client));
        server.awaitBlockedWrite();
    }

    /** Sends more than the peer takes, as soon as it is opened. */
    public static final class Flood implements Session.Listener.AutoDemanding {
        @Override
        public void onWebSocketOpen(Session session) {
            session.sendBinary(ByteBuffer.allocate(LARGE), org.eclipse.jetty.websocket.api.Callback.NOOP);
        }
    }

    private void blockedWebSocket() throws Exception {
        TestServer server = server(connectors::http);
        server.start(WebSocketUpgradeHandler.from(
                server.server(), container -> container.addMapping("/", (request, response, callback) -> new Flood())));
        RawClient client = new RawClient(server.port(), 4096)
                .send(
                        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                                + "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n");
        scenes.add(new Scene("blocked WebSocket", server, client));
        server.awaitBlockedWrite();
    }

    @Test
    void stops() throws Exception {
        request("silent", "", false);
        request("half a head", "GET / HTTP/1.1\r\nHo", false);
        request("half a body", "POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc", true);
        request("half a body, asynchronous", "POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc", true);
        request("handler", "GET /run HTTP/1.1\r\nHost: a\r\n\r\n", true);
        request("asynchronous", "GET /later HTTP/1.1\r\nHost: a\r\n\r\n", true);
        request("blocked write", "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", true);
        request(
                "blocked write before the body",
                "GET /large HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
                true);
        blockedFile();
        handshake();
        blockedTls();
        idleTls();
        blockedHttp2();
        blockedHttp2OverTls();
        blockedWebSocket();
        ExecutorService executor = Executors.newCachedThreadPool();
        try {
            List<CompletableFuture<Void>> stops = new ArrayList<>();
            for (Scene scene : scenes) {
                stops.add(CompletableFuture.runAsync(scene::stop, executor));
            }
            CompletableFuture.allOf(stops.toArray(CompletableFuture[]::new)).get();
        } finally {
            executor.shutdownNow();
            for (Scene scene : scenes) {
                scene.client.close();
            }
        }
    }
}
