package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.AcceptRateLimit;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.LowResourceMonitor;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Too many and too slow peers, on the connectors of Millrace. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class LimitsContractTest {
    @TempDir
    static Path directory;

    @Parameter
    Connectors connectors;

    private final ScheduledExecutorService trickle = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stopTrickling() {
        trickle.shutdownNow();
    }

    /** Reads the content of a POST; answers a GET of /large with 32 MB, any other with a word. */
    private static final class Application extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            if (request.getMethod().equals("POST")) {
                try (var in = Content.Source.asInputStream(request)) {
                    in.transferTo(java.io.OutputStream.nullOutputStream());
                }
            }
            if (Request.getPathInContext(request).equals("/large")) {
                response.write(true, ByteBuffer.allocateDirect(32 * 1024 * 1024), callback);
            } else {
                Content.Sink.write(response, true, "hello", callback);
            }
            return true;
        }
    }

    private TestServer server() {
        TestServer server = new TestServer(connectors::http);
        slowPeers(server).setPeriodMillis(100);
        connector(server).setSlowPeerGraceMillis(500);
        connector(server).setSlowRequestsAlwaysEnded(true);
        return server;
    }

    private static MillraceConnector connector(TestServer server) {
        return (MillraceConnector) server.connector();
    }

    private static ConnectionSweeper slowPeers(TestServer server) {
        return server.connector().getBean(ConnectionSweeper.class);
    }

    private void trickle(RawClient client, String bytes) {
        var unused = trickle.scheduleAtFixedRate(
                () -> {
                    try {
                        client.send(bytes);
                    } catch (IOException closed) {
                        trickle.shutdown();
                    }
                },
                0,
                50,
                TimeUnit.MILLISECONDS);
    }

    private static void awaitEnd(RawClient client) throws IOException {
        while (client.read() >= 0) {
            // An error may be answered first.
        }
    }

    @Test
    void letsPeersBeyondTheLimitWait() throws Exception {
        TestServer server = server();
        if (server.connector().getAcceptors() == 0) {
            connector(server).setMaxConnections(2);
            assertThrows(IllegalStateException.class, () -> server.start(new Application()));
            server.server().stop();
            return;
        }
        connector(server).setMaxConnections(2);
        AtomicInteger accepted = new AtomicInteger();
        server.connector().addBean(new SelectorManager.AcceptListener() {
            @Override
            public void onAccepting(SelectableChannel channel) {
                accepted.incrementAndGet();
            }
        });
        try (server) {
            server.start(new Application());
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                clients.add(server.client().get("/"));
            }
            Await.until("waits for a permit", LimitsContractTest::acceptorWaitsForAPermit);
            assertEquals(2, accepted.get());
            for (int i = 0; i < 6; i++) {
                assertEquals("hello", clients.get(i).answer().text());
                assertTrue(server.connector().getConnectedEndPoints().size() <= 2);
                assertTrue(accepted.get() <= i + 2, accepted + " accepted before client " + i + " left");
                clients.get(i).close();
            }
            server.awaitNoEndPoints();
        }
    }

    private static boolean acceptorWaitsForAPermit() {
        return Thread.getAllStackTraces().values().stream()
                .map(Arrays::toString)
                .anyMatch(stack ->
                        stack.contains("ConnectionPermits.acquire(") && stack.contains("awaitUninterruptibly("));
    }

    @Test
    void countsAConnectionOnceThatIsClosedWhenItIsMade() throws Exception {
        AtomicBoolean closes = new AtomicBoolean();
        HttpConnectionFactory http = new HttpConnectionFactory() {
            @Override
            public Connection newConnection(Connector connector, EndPoint endPoint) {
                if (closes.get()) {
                    endPoint.close();
                }
                return super.newConnection(connector, endPoint);
            }
        };
        TestServer server = new TestServer(s -> connectors.on(s, http));
        assumeTrue(server.connector().getAcceptors() > 0, "a limit needs an acceptor");
        connector(server).setMaxConnections(2);
        try (server;
                RawClient first = server.start(new Application()).client()) {
            assertEquals("hello", first.get("/").answer().text());
            closes.set(true);
            for (int i = 0; i < 3; i++) {
                try (RawClient refused = server.client()) {
                    assertEquals(-1, refused.read());
                }
            }
            closes.set(false);
            try (RawClient second = server.client()) {
                assertEquals("hello", second.get("/").answer().text());
                try (RawClient third = server.client()) {
                    third.get("/").socket().setSoTimeout(300);
                    assertThrows(SocketTimeoutException.class, () -> third.in().read());
                    second.close();
                    third.socket().setSoTimeout(30_000);
                    assertEquals("hello", third.answer().text());
                }
            }
        }
    }

    @Test
    void acceptsAgainRightAfterAPause() throws Exception {
        try (TestServer server = server().start(new Application())) {
            for (int i = 0; i < 50; i++) {
                server.connector().setAccepting(false);
                server.connector().setAccepting(true);
            }
            for (int i = 0; i < 3; i++) {
                try (RawClient client = server.client()) {
                    assertEquals("hello", client.get("/").answer().text());
                }
            }
            assertTrue(server.connector().isOpen());
        }
    }

    @Test
    void stopsWhileTheAcceptorWaitsForAPermit() throws Exception {
        TestServer server = server();
        assumeTrue(server.connector().getAcceptors() > 0, "a limit needs an acceptor");
        connector(server).setMaxConnections(1);
        try (server;
                RawClient client = server.start(new Application()).client();
                RawClient other = server.client()) {
            assertEquals("hello", client.get("/").answer().text());
            Await.until("waits for a permit", LimitsContractTest::acceptorWaitsForAPermit);
            server.server().stop();
            awaitEnd(client);
            awaitEnd(other);
        }
    }

    /** Counts how often it stops the connectors from accepting, and lets them go on. */
    private static final class CountedRateLimit extends AcceptRateLimit {
        private final AtomicInteger limited = new AtomicInteger();
        private final AtomicInteger unlimited = new AtomicInteger();

        private CountedRateLimit(TestServer server) {
            super(1, 200, TimeUnit.MILLISECONDS, server.server());
        }

        @Override
        protected void limit() {
            limited.incrementAndGet();
            super.limit();
        }

        @Override
        protected void unlimit() {
            unlimited.incrementAndGet();
            super.unlimit();
        }
    }

    @Test
    void obeysJettysLimitOfTheAcceptRateAndAcceptsAgain() throws Exception {
        TestServer server = server();
        CountedRateLimit limit = new CountedRateLimit(server);
        server.server().addBean(limit);
        try (TestServer started = server.start(new Application())) {
            // On a busy machine two may come too far apart.
            for (int i = 0; i < 100 && limit.limited.get() == 0; i++) {
                answer(server);
            }
            assertTrue(limit.limited.get() > 0, "never limited");
            answer(server);
            // Jetty's selector accepts in a loop of its own, and may have been in it.
            assertTrue(
                    server.connector().getAcceptors() == 0 || limit.unlimited.get() > 0, "accepted beyond the limit");
            Await.until("accepts again", () -> server.connector().isAccepting());
        }
    }

    private static void answer(TestServer server) throws Exception {
        try (RawClient client = server.client()) {
            assertEquals("hello", client.get("/").answer().text());
        }
    }

    @Test
    void obeysJettysMonitorOfLowResources() throws Exception {
        TestServer server = server();
        LowResourceMonitor monitor = new LowResourceMonitor(server.server());
        monitor.setMonitoredConnectors(List.of(server.connector()));
        monitor.setMonitorThreads(false);
        monitor.setPeriod(100);
        monitor.setLowResourcesIdleTimeout(100);
        monitor.addLowResourceCheck(monitor.new MaxConnectionsLowResourceCheck(2));
        try (server) {
            server.start(new Application());
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                clients.add(server.client());
                assertEquals("hello", clients.get(i).get("/").answer().text());
            }
            // Not before: it would end them while they are being made.
            server.server().addManaged(monitor);
            Await.until(
                    "ended what is too many",
                    () -> server.connector().getConnectedEndPoints().size() <= 2);
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void endsATrickledHead() throws Exception {
        TestServer server = server();
        connector(server).setRequestHeadTimeoutMillis(500);
        try (server;
                RawClient client = server.start(new Application()).client()) {
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ");
            trickle(client, "x");
            awaitEnd(client);
            assertEquals(1, slowPeers(server).getSlowHeads());
        }
    }

    @Test
    void endsAHandshakeThatIsNotFinished() throws Exception {
        Tls tls = new Tls(directory);
        HttpConnectionFactory http = new HttpConnectionFactory();
        TestServer server = new TestServer(s -> connectors.on(s, connectors.tls(tls.server(), "http/1.1"), http));
        // Before the start, which plans the first look.
        slowPeers(server).setPeriodMillis(100);
        try (server;
                RawClient client = server.start(new Application()).client();
                RawClient good = tls.connect(server.port())) {
            // Before the limit is set: the good peer's handshake, the JVM's first, may take longer on a busy machine.
            assertEquals("hello", good.get("/").answer().text());
            connector(server).setRequestHeadTimeoutMillis(500);
            client.send(new byte[] {0x16, 0x03, 0x01});
            awaitEnd(client);
            assertEquals(1, slowPeers(server).getSlowHeads());
            assertEquals("hello", good.get("/").answer().text());
        }
    }

    @Test
    void endsTrickledContent() throws Exception {
        try (TestServer server = server().start(new Application());
                RawClient client = server.client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
            trickle(client, "x");
            awaitEnd(client);
            assertEquals(1, slowPeers(server).getSlowRequests());
        }
    }

    @Test
    void endsAnAnswerThatIsTakenByDrops() throws Exception {
        TestServer server = server();
        // What the kernel hides of the peer's pace is as little as the send buffer.
        server.connector().setAcceptedSendBufferSize(16 * 1024);
        connector(server).setMinResponseBytesPerSecond(50_000);
        try (server;
                RawClient client = new RawClient(server.start(new Application()).port(), 4096)) {
            client.get("/large");
            var unused = trickle.scheduleAtFixedRate(
                    () -> {
                        try {
                            client.in().readNBytes(5);
                        } catch (IOException closed) {
                            trickle.shutdown();
                        }
                    },
                    0,
                    50,
                    TimeUnit.MILLISECONDS);
            Await.until("ended", () -> slowPeers(server).getSlowResponses() == 1);
            server.awaitNoEndPoints();
        }
    }

    @Test
    void leavesAPeerAloneWhomTheApplicationLetsWait() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Handler busy = new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                release.await();
                Content.Sink.write(response, true, "late", callback);
                return true;
            }
        };
        try (TestServer server = server().start(busy);
                RawClient client = server.client();
                RawClient idle = server.client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nfirst");
            // They take more than twice the grace.
            long enough = slowPeers(server).getLooks() + 12;
            Await.until("looked", () -> slowPeers(server).getLooks() >= enough);
            release.countDown();
            assertEquals("late", client.answer().text());
            assertEquals("late", idle.get("/").answer().text());
            assertEquals(0, slowPeers(server).getSlowRequests());
        }
    }
}
