package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ConnectHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the limit of a head's time ends, though no head has begun, and what it leaves alone. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class SlowHeadContractTest {
    private static final int TIMEOUT_MILLIS = 2000;
    private static final int PERIOD_MILLIS = 50;
    /** So many take longer than the timeout. */
    private static final int LOOKS = 2 + TIMEOUT_MILLIS / PERIOD_MILLIS;

    private static final Tls TLS = new Tls();

    private final ScheduledExecutorService trickle = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stopTrickling() {
        trickle.shutdownNow();
    }

    private static TestServer server(Connectors connectors) {
        TestServer server = new TestServer(connectors::http);
        // Before the start, which plans the first look.
        server.sweeper().setPeriodMillis(PERIOD_MILLIS);
        return server;
    }

    // Not before the peers have done something good: the JVM's first handshakes and requests may take longer on a busy
    // machine.
    private static void limit(TestServer server) {
        server.millrace().setRequestHeadTimeoutMillis(TIMEOUT_MILLIS);
    }

    /** Waits until a peer that has been slow from now on would have been found. */
    private static void awaitLooks(TestServer server) {
        ConnectionSweeper slowPeers = server.sweeper();
        long enough = slowPeers.getLooks() + LOOKS;
        Await.until("looked", () -> slowPeers.getLooks() >= enough);
    }

    private void trickle(RawClient client, byte[] bytes) {
        int[] next = {0};
        var unused = trickle.scheduleAtFixedRate(
                () -> {
                    try {
                        client.send(new byte[] {bytes[next[0]++ % bytes.length]});
                    } catch (IOException closed) {
                        // Nothing more to this one.
                        throw new UncheckedIOException(closed);
                    }
                },
                0,
                50,
                TimeUnit.MILLISECONDS);
    }

    @Test
    void endsTrickledLineEndsButNoQuietConnection() throws Exception {
        AtOnce.on(Connectors.ours(), this::assertEndsTrickledLineEndsButNoQuietConnection);
    }

    private void assertEndsTrickledLineEndsButNoQuietConnection(Connectors connectors) throws Exception {
        try (TestServer server = server(connectors).start(Handlers.hello());
                RawClient quiet = server.client();
                RawClient unused = server.client();
                RawClient client = server.client()) {
            assertEquals("hello", quiet.get("/").answer().text());
            assertEquals("hello", client.get("/").answer().text());
            limit(server);
            trickle(client, new byte[] {'\r', '\n'});
            client.readToEnd();
            awaitLooks(server);
            assertEquals("hello", quiet.get("/").answer().text());
            assertEquals("hello", unused.get("/").answer().text());
            assertEquals(1, server.millrace().getSlowHeads());
        }
    }

    @Test
    void leavesAPeerAloneThatAsksAgainAndAgain() throws Exception {
        AtOnce.on(Connectors.ours(), SlowHeadContractTest::assertLeavesAPeerAloneThatAsksAgainAndAgain);
    }

    private static void assertLeavesAPeerAloneThatAsksAgainAndAgain(Connectors connectors) throws Exception {
        TestServer server = new TestServer(connectors::http);
        WatchClock clock = new WatchClock(server);
        limit(server);
        try (server;
                RawClient client = server.start(Handlers.hello()).client()) {
            assertEquals("hello", client.get("/").answer().text());
            // Together they take four times as long as one may.
            while (clock.seconds() < 4 * TIMEOUT_MILLIS / 1000) {
                // The second look finds that something has begun.
                for (int i = 0; i < 2; i++) {
                    long before = bytesIn(server);
                    client.send("\r\n");
                    Await.until("the server has it", () -> bytesIn(server) > before);
                    clock.pass(1);
                }
                assertEquals("hello", client.get("/").answer().text());
            }
            assertEquals(0, server.millrace().getSlowHeads());
        }
    }

    private static long bytesIn(TestServer server) {
        return server.connector()
                .getConnectedEndPoints()
                .iterator()
                .next()
                .getConnection()
                .getBytesIn();
    }

    private static RawClient connect(Socket plain) throws Exception {
        SSLSocket socket =
                (SSLSocket) TLS.client().getSocketFactory().createSocket(plain, "localhost", plain.getPort(), true);
        socket.startHandshake();
        return new RawClient(socket);
    }

    @Test
    void endsARecordOfTlsThatIsTrickledButNoQuietConnection() throws Exception {
        AtOnce.on(Connectors.ours(), this::assertEndsARecordOfTlsThatIsTrickledButNoQuietConnection);
    }

    private void assertEndsARecordOfTlsThatIsTrickledButNoQuietConnection(Connectors connectors) throws Exception {
        TestServer server = new TestServer(s -> connectors.https(s, TLS));
        // Before the start, which plans the first look.
        server.sweeper().setPeriodMillis(PERIOD_MILLIS);
        server.start(Handlers.hello());
        try (server;
                Socket plain = new Socket("127.0.0.1", server.port());
                RawClient client = connect(plain);
                RawClient quiet = TLS.connect(server.port())) {
            assertEquals("hello", quiet.get("/").answer().text());
            assertEquals("hello", client.get("/").answer().text());
            limit(server);
            // A record of 16 KB, of which most never comes.
            RawClient raw = new RawClient(plain);
            raw.send(new byte[] {0x17, 0x03, 0x03, 0x40, 0x00});
            trickle(raw, new byte[] {1});
            Await.until("ended", () -> server.millrace().getSlowHeads() == 1);
            awaitLooks(server);
            assertEquals("hello", quiet.get("/").answer().text());
            assertEquals(1, server.millrace().getSlowHeads());
        }
    }

    @Test
    void endsAProxyHeaderThatDoesNotCome() throws Exception {
        AtOnce.on(
                Connectors.ours(),
                connectors -> assertEndsAfter(
                        connectors, "PROXY TCP4 1.2", new ProxyConnectionFactory(), new HttpConnectionFactory()));
    }

    @Test
    void endsARecordOfTlsThatIsToBeDetected() throws Exception {
        AtOnce.on(Connectors.ours(), SlowHeadContractTest::assertEndsARecordOfTlsThatIsToBeDetected);
    }

    private static void assertEndsARecordOfTlsThatIsToBeDetected(Connectors connectors) throws Exception {
        SslConnectionFactory ssl = connectors.tls(TLS.server(), "http/1.1");
        assertEndsAfter(connectors, "\u0016", new DetectorConnectionFactory(ssl), new HttpConnectionFactory());
    }

    private static void assertEndsAfter(Connectors connectors, String bytes, ConnectionFactory... factories)
            throws Exception {
        // Not a TestServer: Jetty's connections do not give their buffer back when they are closed in the middle of
        // this.
        Server server = new Server();
        ServerConnector connector = connectors.on(server, factories);
        connector.getBean(ConnectionSweeper.class).setPeriodMillis(PERIOD_MILLIS);
        ((MillraceConnector) connector).setRequestHeadTimeoutMillis(TIMEOUT_MILLIS);
        server.addConnector(connector);
        server.start();
        try (RawClient client = new RawClient(connector.getLocalPort())) {
            client.send(bytes);
            client.readToEnd();
            assertEquals(1, ((MillraceConnector) connector).getSlowHeads());
        } finally {
            server.stop();
        }
    }

    @Test
    void leavesATunnelAlone() throws Exception {
        AtOnce.on(Connectors.ours(), SlowHeadContractTest::assertLeavesATunnelAlone);
    }

    private static void assertLeavesATunnelAlone(Connectors connectors) throws Exception {
        try (ServerSocket upstream = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                TestServer server = server(connectors).start(new ConnectHandler());
                RawClient client = server.client()) {
            String target = "127.0.0.1:" + upstream.getLocalPort();
            client.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
            String status = client.line();
            assertTrue(status.contains("200"), status);
            while (!client.line().isEmpty()) {
                // The rest of the head.
            }
            limit(server);
            try (Socket far = upstream.accept()) {
                awaitLooks(server);
                client.send("there");
                assertEquals("there", new String(far.getInputStream().readNBytes(5), StandardCharsets.UTF_8));
                far.getOutputStream().write("back".getBytes(StandardCharsets.UTF_8));
                assertEquals("back", new String(client.in().readNBytes(4), StandardCharsets.UTF_8));
                assertEquals(0, server.millrace().getSlowHeads());
            }
        }
    }
}
