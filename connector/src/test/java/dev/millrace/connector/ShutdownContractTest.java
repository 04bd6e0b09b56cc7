package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.EOFException;
import java.net.ConnectException;
import java.net.SocketException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a graceful shutdown does with a request in flight, with one that comes meanwhile, and with who comes late. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class ShutdownContractTest {
    @Parameter
    Connectors connectors;

    private final CountDownLatch handling = new CountDownLatch(1);

    /** Answers the path of a request, behind its content. */
    private final Handler echo = Handlers.text(request -> {
        String path = Request.getPathInContext(request);
        if (path.equals("/slow")) {
            handling.countDown();
        }
        Handlers.content(request);
        return path;
    });

    /** A client of a server. */
    private interface Connect {
        RawClient to(TestServer server) throws Exception;
    }

    @Test
    void answersWhatIsInFlightAndRefusesWhatComesMeanwhile() throws Exception {
        shutDown(new TestServer(connectors::http), TestServer::client);
    }

    @Test
    void answersWhatIsInFlightAndRefusesWhatComesMeanwhileOverTls() throws Exception {
        Tls tls = new Tls();
        shutDown(new TestServer(s -> connectors.https(s, tls)), server -> tls.connect(server.port()));
    }

    private void shutDown(TestServer server, Connect connect) throws Exception {
        server.server().setStopTimeout(30_000);
        server.connector().setShutdownIdleTimeout(30_000);
        GracefulHandler graceful = new GracefulHandler(echo);
        server.start(graceful);
        try (RawClient kept = connect.to(server)) {
            assertEquals("/kept", kept.get("/kept").answer().text());
            // A shutdown before that closes the connection instead of answering what comes next.
            Await.until(
                    "waits for the next request",
                    () -> server.connector().getConnectedEndPoints().stream().allMatch(EndPoint::isFillInterested));
            shutDown(server, graceful, connect, kept);
        }
    }

    private void shutDown(TestServer server, GracefulHandler graceful, Connect connect, RawClient kept)
            throws Exception {
        try (RawClient client = connect.to(server)) {
            client.send("POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n");
            assertTrue(handling.await(30, TimeUnit.SECONDS));
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> close(server));
            Await.until("shut down", () -> server.connector().isShutdown() && graceful.isShutdown());
            RawClient.Answer refused = kept.get("/late").answer();
            assertEquals(503, refused.status());
            assertEquals("close", refused.headers().get("Connection"));
            assertEquals(-1, kept.read());
            kept.close();
            assertFalse(stopped.isDone());
            RawClient.Answer answer = client.send("body").answer();
            assertEquals("/slow", answer.text());
            assertEquals("close", answer.headers().get("Connection"));
            assertEquals(-1, client.read());
            client.close();
            stopped.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void letsNobodyWaitWhoComesMeanwhile() throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.server().setStopTimeout(30_000);
        server.connector().setShutdownIdleTimeout(30_000);
        GracefulHandler graceful = new GracefulHandler(echo);
        int port = server.start(graceful).port();
        try (RawClient client = server.client()) {
            client.send("POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n");
            assertTrue(handling.await(30, TimeUnit.SECONDS));
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> close(server));
            Await.until("shut down", () -> server.connector().isShutdown() && graceful.isShutdown());
            // Jetty's own interrupts accept(), which then throws even when it has accepted: nobody knows of that peer
            // any more.
            if (connectors != Connectors.STOCK) {
                assertTurnsAway(port);
            }
            // A selector accepts until it is stopped.
            if (server.connector().getAcceptors() > 0) {
                // The system keeps the socket for who waits in accept(), though it is closed.
                Await.until("nobody accepts", () -> !isAnyoneAccepting());
                assertThrows(ConnectException.class, () -> new RawClient(port).close());
            }
            assertFalse(stopped.isDone());
            assertEquals("/slow", client.send("body").answer().text());
            assertEquals(-1, client.read());
            stopped.get(30, TimeUnit.SECONDS);
            assertThrows(ConnectException.class, () -> new RawClient(port).close());
        }
    }

    /** Refused, reset, or told to come later: that depends on where the acceptor was. */
    private static void assertTurnsAway(int port) throws Exception {
        try (RawClient late = new RawClient(port).get("/late")) {
            assertEquals("HTTP/1.1 503 Service Unavailable", late.line());
            late.in().readAllBytes();
        } catch (EOFException | SocketException turnedAway) {
            // At once: one that is left alone has a timeout of another kind.
        }
    }

    private static boolean isAnyoneAccepting() {
        return Thread.getAllStackTraces().values().stream()
                .map(Arrays::toString)
                .anyMatch(stack -> stack.contains("AbstractConnector$Acceptor.run("));
    }

    private static void close(TestServer server) {
        try {
            server.close();
        } catch (Exception x) {
            throw new IllegalStateException(x);
        }
    }

    /** A thread may open a connection after the shutdown has told all that were open of their shorter time. */
    @Test
    void shortensTheTimeOfAConnectionThatComesLate() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "there it keeps the connector's idle timeout");
        CountDownLatch accepted = new CountDownLatch(1);
        TestServer server = new TestServer(s -> connectors.on(s, new HttpConnectionFactory() {
            @Override
            public Connection newConnection(Connector connector, EndPoint endPoint) {
                accepted.countDown();
                Await.until("shut down", connector::isShutdown);
                return super.newConnection(connector, endPoint);
            }
        }));
        server.connector().setIdleTimeout(60_000);
        server.connector().setShutdownIdleTimeout(200);
        try (server;
                RawClient late = server.start(echo).client()) {
            assertTrue(accepted.await(30, TimeUnit.SECONDS));
            CompletableFuture<Void> shutdown = server.connector().shutdown();
            assertEquals(-1, late.read());
            shutdown.get(30, TimeUnit.SECONDS);
        }
    }
}
