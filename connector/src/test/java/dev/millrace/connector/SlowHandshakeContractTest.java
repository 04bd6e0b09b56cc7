package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import org.eclipse.jetty.io.ssl.SslConnection.SslEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Until when a handshake of TLS lasts: that it must not take too long says nothing of the connection after it. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class SlowHandshakeContractTest {
    private static final int TIMEOUT_MILLIS = 2000;
    private static final int PERIOD_MILLIS = 50;
    /** So many take longer than the timeout. */
    private static final int LOOKS = 2 + TIMEOUT_MILLIS / PERIOD_MILLIS;

    private static final Tls TLS = new Tls();

    /** Answers; to another handshake it asks the peer before, and its answer waits for that. */
    private static Handler answering() {
        return Handlers.text(request -> {
            if (Request.getPathInContext(request).equals("/again")) {
                SslEndPoint endPoint = (SslEndPoint) EndPoints.of(request);
                endPoint.getSslConnection().getSSLEngine().beginHandshake();
            }
            return "hello";
        });
    }

    private static TestServer server(Connectors connectors, String protocol) throws Exception {
        SslContextFactory.Server context = TLS.server();
        context.setIncludeProtocols(protocol);
        context.setRenegotiationAllowed(true);
        HttpConnectionFactory http = new HttpConnectionFactory(new HttpConfiguration());
        TestServer server = new TestServer(s -> connectors.on(s, connectors.tls(context, "http/1.1"), http));
        // Before the start, which plans the first look.
        server.sweeper().setPeriodMillis(PERIOD_MILLIS);
        return server.start(answering());
    }

    // Not before the good peers' handshakes: the JVM's first may take longer on a busy machine.
    private static void limit(TestServer server) {
        server.millrace().setRequestHeadTimeoutMillis(TIMEOUT_MILLIS);
    }

    /** Waits until a peer that has been slow from now on would have been found. */
    private static void awaitLooks(TestServer server) {
        ConnectionSweeper slowPeers = server.sweeper();
        long enough = slowPeers.getLooks() + LOOKS;
        Await.until("looked", () -> slowPeers.getLooks() >= enough);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void isOverThoughTheServerHasEndedItsOutput(String protocol) throws Exception {
        AtOnce.on(Connectors.ours(), connectors -> assertOverThoughTheServerHasEndedItsOutput(connectors, protocol));
    }

    private static void assertOverThoughTheServerHasEndedItsOutput(Connectors connectors, String protocol)
            throws Exception {
        try (TestServer server = server(connectors, protocol);
                RawClient client = TLS.connect(server.port())) {
            assertEquals("hello", client.get("/").answer().text());
            limit(server);
            awaitLooks(server);
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertEquals("hello", client.answer().text());
            awaitLooks(server);
            assertEquals(0, server.sweeper().getSlowHeads());
            assertEquals(1, server.connector().getConnectedEndPoints().size());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "TLSv1.2")
    void isOverThoughAnotherHasBegun(String protocol) throws Exception {
        AtOnce.on(Connectors.ours(), connectors -> assertOverThoughAnotherHasBegun(connectors, protocol));
    }

    private static void assertOverThoughAnotherHasBegun(Connectors connectors, String protocol) throws Exception {
        try (TestServer server = server(connectors, protocol);
                RawClient client = TLS.connect(server.port())) {
            assertEquals("hello", client.get("/").answer().text());
            limit(server);
            // It takes part in the handshake only when it reads.
            client.get("/again");
            awaitLooks(server);
            assertEquals(0, server.sweeper().getSlowHeads());
            assertEquals("hello", client.answer().text());
        }
    }

    /** TLS 1.3 lets a server speak before that. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void isNotOverBeforeThePeersLastWord(String protocol) throws Exception {
        AtOnce.on(Connectors.ours(), connectors -> assertNotOverBeforeThePeersLastWord(connectors, protocol));
    }

    private static void assertNotOverBeforeThePeersLastWord(Connectors connectors, String protocol) throws Exception {
        try (TestServer server = server(connectors, protocol);
                RawClient good = TLS.connect(server.port());
                RawClient client = server.client()) {
            assertEquals("hello", good.get("/").answer().text());
            client.send(TLS.hello());
            assertTrue(client.read() >= 0);
            limit(server);
            while (client.read() >= 0) {
                // The rest of the server's part of the handshake.
            }
            assertEquals(1, server.sweeper().getSlowHeads());
            assertEquals("hello", good.get("/").answer().text());
        }
    }

    /** The wall clock may be set while a handshake lasts, or the machine stand still. */
    @Test
    void isEndedByTheClockOfTheWatch() throws Exception {
        AtOnce.on(Connectors.ours(), SlowHandshakeContractTest::assertEndedByTheClockOfTheWatch);
    }

    private static void assertEndedByTheClockOfTheWatch(Connectors connectors) throws Exception {
        TestServer server = new TestServer(s -> connectors.https(s, TLS));
        server.millrace().setRequestHeadTimeoutMillis(30_000);
        WatchClock clock = new WatchClock(server);
        try (TestServer started = server.start(answering());
                RawClient client = started.client()) {
            client.send(TLS.hello());
            assertTrue(client.read() >= 0);
            // The first look finds the connection.
            clock.pass(1 + 30);
            assertEquals(0, started.sweeper().getSlowHeads());
            clock.pass(1);
            while (client.read() >= 0) {
                // The rest of the server's part of the handshake.
            }
            assertEquals(1, started.sweeper().getSlowHeads());
        }
    }
}
