package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Peers that are slow in what else is spoken than HTTP/1.1 in clear: each is ended, the application told, the next peer served. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class SlowPeerProtocolsContractTest {
    private static final int LARGE_BYTES = 32 * 1024 * 1024;
    private static final int CLIENT_BUFFER_BYTES = 4096;

    @Parameter
    Connectors connectors;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final CompletableFuture<Throwable> told = new CompletableFuture<>();
    private TestServer server;

    @AfterEach
    void stopTheClock() {
        clock.shutdownNow();
    }

    /** Reads the content of a POST; answers a GET of /large with what no socket holds, any other with a word. */
    private final Handler application = Handlers.of((request, response, callback) -> {
        boolean large = Request.getPathInContext(request).equals("/large");
        if (large || request.getMethod().equals("POST")) {
            Request.addCompletionListener(request, told::complete);
        }
        if (large) {
            response.write(true, ByteBuffer.allocateDirect(LARGE_BYTES), callback);
            return;
        }
        Handlers.content(request);
        Content.Sink.write(response, true, "hello", callback);
    });

    /** Sends a large message to each client that comes. */
    public final class Large implements Session.Listener.AutoDemanding {
        @Override
        public void onWebSocketOpen(Session session) {
            session.sendBinary(
                    ByteBuffer.allocateDirect(LARGE_BYTES),
                    org.eclipse.jetty.websocket.api.Callback.from(() -> told.complete(null), told::complete));
        }
    }

    private TestServer server(Function<Server, ServerConnector> connector) {
        server = new TestServer(connector);
        // What the kernel hides of the peer's pace is as little as the send buffer.
        server.connector().setAcceptedSendBufferSize(16 * 1024);
        server.sweeper().setPeriodMillis(100);
        server.millrace().setSlowPeerGraceMillis(500);
        server.millrace().setSlowRequestsAlwaysEnded(true);
        return server;
    }

    /** Not before an answer waits for its peer: a busy machine may hold up the server in a handshake. */
    private void limitAnswers() {
        server.awaitBlockedWrite();
        server.millrace().setMinResponseBytesPerSecond(500_000);
    }

    /** For a good peer, whose server the machine may hold up, too. The rates are the same. */
    private void lengthenGrace() {
        server.millrace().setSlowPeerGraceMillis(5000);
    }

    private TestServer server(Tls tls) {
        return server(s -> connectors.https(s, tls));
    }

    private RawClient slowClient() throws Exception {
        return new RawClient(server.port(), CLIENT_BUFFER_BYTES);
    }

    private static String ends(long slowRequests, long slowResponses, long slowHeads) {
        return slowRequests + " slow requests, " + slowResponses + " slow responses, " + slowHeads + " slow heads";
    }

    private String connectorEnds() {
        return ends(
                server.millrace().getSlowRequests(),
                server.millrace().getSlowResponses(),
                server.millrace().getSlowHeads());
    }

    /** One end, of this kind, and nothing left of the connection: neither the end point nor a thread that waits for the peer. */
    private void assertEnded(int slowRequests, int slowResponses) throws Exception {
        Await.until(
                "ended",
                () -> server.millrace().getSlowRequests() + server.millrace().getSlowResponses() == 1);
        assertEquals(ends(slowRequests, slowResponses, 0), connectorEnds());
        assertNotNull(told.get(30, TimeUnit.SECONDS), "the application was told of success");
        server.awaitNoEndPoints();
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        Await.until("no thread of the pool stays", () -> pool.getUtilizedThreads() <= 0, pool::toString);
        if (server.millrace() instanceof BioConnector bio) {
            Await.until("no thread of a connection stays", () -> bio.getConnectionThreadCount() == 0);
        }
    }

    /** That the next one is served, and was not ended for the other's sake. */
    private void assertServes(Tls tls) throws Exception {
        lengthenGrace();
        try (RawClient good = tls == null ? server.client() : tls.connect(server.port())) {
            assertEquals("hello", good.get("/").answer().text());
            assertEquals(
                    "hello",
                    good.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody")
                            .answer()
                            .text());
        }
        assertEquals(1, server.millrace().getSlowRequests() + server.millrace().getSlowResponses());
    }

    private interface Tick {
        void run() throws IOException;
    }

    // With a delay, not at a rate: a peer that makes up for a standstill of the machine would not be slow.
    private void repeat(Tick tick) {
        var unused = clock.scheduleWithFixedDelay(
                () -> {
                    try {
                        tick.run();
                    } catch (IOException closed) {
                        clock.shutdown();
                    }
                },
                0,
                50,
                TimeUnit.MILLISECONDS);
    }

    @Test
    void endsContentThatIsTrickledInsideTls() throws Exception {
        Tls tls = new Tls();
        try (TestServer started = server(tls).start(application);
                RawClient plain = server.client();
                RawClient client = tls.over(plain.socket())) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
            repeat(() -> client.send("x"));
            assertEnded(1, 0);
            assertServes(tls);
        }
    }

    @Test
    void endsAnAnswerInsideTlsThatIsTakenByDrops() throws Exception {
        Tls tls = new Tls();
        server(tls).start(application);
        RawClient plain = slowClient();
        // The socket below is closed first: TLS would wait for a thread that cannot write, when the test has failed.
        try (TestServer started = server;
                RawClient client = tls.over(plain.socket());
                plain) {
            client.get("/large");
            limitAnswers();
            repeat(() -> plain.in().readNBytes(5));
            assertEnded(0, 1);
            assertServes(tls);
        }
    }

    @Test
    void endsAnHttp2ConnectionWhoseWindowsAreOpenAndWhoseSocketIsFull() throws Exception {
        server(connectors::http2).start(application);
        try (TestServer started = server;
                RawClient client = slowClient()) {
            new Http2Frames(client).openWindows().get("/large");
            limitAnswers();
            assertEnded(0, 1);
            lengthenGrace();
            try (RawClient good = server.client()) {
                Http2Frames frames = new Http2Frames(good);
                assertEquals("hello", frames.get("/").content());
                assertEquals(
                        "hello",
                        frames.postAtOnce("/", "body".getBytes(StandardCharsets.UTF_8))
                                .content());
            }
            assertEquals(1, server.millrace().getSlowResponses());
        }
    }

    @Test
    void endsAWebSocketWhoseMessageIsNotTaken() throws Exception {
        server(connectors::http);
        WebSocketUpgradeHandler upgrade = WebSocketUpgradeHandler.from(
                server.server(),
                container -> container.addMapping("/socket", (request, response, callback) -> new Large()));
        upgrade.setHandler(application);
        server.start(upgrade);
        try (TestServer started = server;
                RawClient client = slowClient()) {
            client.send("GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
            String status = client.line();
            assertTrue(status.contains("101"), status);
            limitAnswers();
            assertEnded(0, 1);
            assertServes(null);
        }
    }
}
