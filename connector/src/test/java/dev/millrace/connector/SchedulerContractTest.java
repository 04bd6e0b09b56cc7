package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.limits.PeerRates;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The scheduler of a server has one thread: what it ends may block in the application, and must not block there. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class SchedulerContractTest {
    @Parameter
    Connectors connectors;

    private final Blocking blocking = new Blocking();

    /**
     * Answers with more than a socket takes, from a thread of its own; blocks in what tells it that the answer has failed, or that
     * a connection is closed.
     */
    private static final class Blocking extends Handler.Abstract implements Connection.Listener {
        private final CountDownLatch written = new CountDownLatch(1);
        private final CountDownLatch failed = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            new Thread(() -> {
                        response.write(
                                true,
                                ByteBuffer.allocateDirect(32 * 1024 * 1024),
                                Callback.from(callback::succeeded, cause -> {
                                    block();
                                    callback.failed(cause);
                                }));
                        written.countDown();
                    })
                    .start();
            return true;
        }

        @Override
        public void onClosed(Connection connection) {
            block();
        }

        private void block() {
            failed.countDown();
            try {
                goOn.await();
            } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
            }
        }

        void awaitWritten() throws InterruptedException {
            assertTrue(written.await(30, TimeUnit.SECONDS));
        }
    }

    private void assertSchedules(TestServer server) throws InterruptedException {
        try {
            assertTrue(blocking.failed.await(30, TimeUnit.SECONDS), "not told");
            CountDownLatch run = new CountDownLatch(1);
            server.server().getScheduler().schedule(run::countDown, 0, TimeUnit.MILLISECONDS);
            assertTrue(run.await(30, TimeUnit.SECONDS), "the scheduler waits for the application");
        } catch (Throwable x) {
            blocking.goOn.countDown();
            throw x;
        }
    }

    // Not before the peer takes nothing any more: between two writes an idle timeout is the protocol's.
    private static void setIdle(TestServer server) {
        EndPoint endPoint =
                server.connector().getConnectedEndPoints().iterator().next();
        Await.until(
                "nothing taken any more",
                () -> isInWrite(endPoint) && ((MonitoredEndPoint) endPoint).getIdleFor() > 500);
        endPoint.setIdleTimeout(300);
    }

    private static boolean isInWrite(EndPoint endPoint) {
        return !(endPoint instanceof MonitoredEndPoint ours) || ours.isWritePending();
    }

    @Test
    void goesOnAfterAnIdleTimeoutOverTls() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = new TestServer(s -> connectors.https(s, tls)).start(blocking);
                RawClient client = tls.connect(server.port()).get("/")) {
            blocking.awaitWritten();
            setIdle(server);
            assertSchedules(server);
            if (server.connector() instanceof BioConnector) {
                server.awaitNoEndPoints();
            }
            blocking.goOn.countDown();
        }
    }

    /** The application chooses in the handshake what is spoken, as it may choose the key, and takes its time. */
    private final class ChosenInTheHandshake extends HttpConnectionFactory {
        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            SSLEngine engine =
                    ((SslConnection.SslEndPoint) endPoint).getSslConnection().getSSLEngine();
            engine.setHandshakeApplicationProtocolSelector((asked, offered) -> {
                blocking.block();
                return offered.get(0);
            });
            return super.newConnection(connector, endPoint);
        }
    }

    private TestServer serverOfHandshakes(Tls tls) {
        HttpConnectionFactory http = new ChosenInTheHandshake();
        return new TestServer(s -> connectors.on(s, connectors.tls(tls.server(), http.getProtocol()), http));
    }

    // Each has a thread of its own: the common pool has a single one on two processors, and other tests use it too.
    private static CompletableFuture<Void> runAsync(Runnable task) {
        return CompletableFuture.runAsync(task, thread -> new Thread(thread).start());
    }

    private CompletableFuture<Void> handshake(Tls tls, TestServer server) throws InterruptedException {
        CompletableFuture<Void> handshake = runAsync(() -> {
            try (Socket plain = new Socket("127.0.0.1", server.port());
                    RawClient client = tls.over(plain, HttpVersion.HTTP_1_1.asString())) {
                assertTrue(client.socket().isConnected());
            } catch (Exception x) {
                throw new CompletionException(x);
            }
        });
        assertTrue(blocking.failed.await(30, TimeUnit.SECONDS), "not asked");
        return handshake;
    }

    @Test
    void goesOnWhileTheApplicationTakesItsTimeInAHandshake() throws Exception {
        Tls tls = new Tls();
        TestServer server = serverOfHandshakes(tls);
        ConnectionSweeper slowPeers = server.sweeper();
        slowPeers.setPeriodMillis(100);
        try (server;
                AutoCloseable end = blocking.goOn::countDown) {
            CompletableFuture<Void> handshake = handshake(tls, server.start(blocking));
            long looks = slowPeers.getLooks();
            // One may have been under way.
            Await.until("looked", () -> slowPeers.getLooks() > looks + 1);
            assertSchedules(server);
            blocking.goOn.countDown();
            handshake.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void goesOnAfterAnIdleTimeoutInAHandshake() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = serverOfHandshakes(tls);
                AutoCloseable end = blocking.goOn::countDown) {
            CompletableFuture<Void> handshake = handshake(tls, server.start(blocking));
            EndPoint endPoint =
                    server.connector().getConnectedEndPoints().iterator().next();
            endPoint.setIdleTimeout(300);
            Await.until("closed", () -> !endPoint.isOpen());
            assertSchedules(server);
            blocking.goOn.countDown();
            assertThrows(ExecutionException.class, () -> handshake.get(30, TimeUnit.SECONDS));
        }
    }

    /** Nor may it block the thread that stops the connector: a stop ends in the times that are told of it. */
    @Test
    void stopsWhileTheApplicationTakesItsTimeInAHandshake() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = serverOfHandshakes(tls);
                AutoCloseable end = blocking.goOn::countDown) {
            CompletableFuture<Void> handshake = handshake(tls, server.start(blocking));
            EndPoint endPoint =
                    server.connector().getConnectedEndPoints().iterator().next();
            runAsync(() -> LifeCycle.stop(server.connector())).get(15, TimeUnit.SECONDS);
            assertFalse(endPoint.isOpen());
            blocking.goOn.countDown();
            assertThrows(ExecutionException.class, () -> handshake.get(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void goesOnAfterAnIdleTimeoutOfHttp2() throws Exception {
        try (TestServer server = new TestServer(connectors::http2).start(blocking);
                RawClient client = server.client()) {
            new Http2Frames(client).openWindows().get("/");
            blocking.awaitWritten();
            setIdle(server);
            assertSchedules(server);
            blocking.goOn.countDown();
        }
    }

    @Test
    void goesOnAfterASlowPeer() throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.sweeper().setPeriodMillis(100);
        MillraceConnector connector = server.millrace();
        connector.setSlowPeerGraceMillis(500);
        // More than a second of it fits into the buffers of sockets.
        connector.setMinResponseBytesPerSecond(100_000_000);
        try (server;
                RawClient client = server.start(blocking).client().get("/")) {
            assertSchedules(server);
            Await.until(
                    "closed", () -> connector.getConnectedEndPoints().stream().noneMatch(e -> e.isOpen()));
            blocking.goOn.countDown();
        }
    }

    private void assertSchedulesWhenClosedAsIdle(TestServer server) throws InterruptedException {
        server.awaitEndPoints(1);
        EndPoint endPoint =
                server.connector().getConnectedEndPoints().iterator().next();
        Await.until(
                "any handshake over",
                () -> !(endPoint.getConnection() instanceof SslConnection ssl) || PeerRates.isEstablished(ssl));
        endPoint.setIdleTimeout(300);
        assertSchedules(server);
        blocking.goOn.countDown();
        server.awaitNoEndPoints();
    }

    @Test
    void goesOnWhileItTellsThatAnIdleConnectionIsClosed() throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.connector().addBean(blocking);
        try (server;
                RawClient client = server.start(blocking).client()) {
            assertSchedulesWhenClosedAsIdle(server);
            assertEquals(-1, client.read());
        }
    }

    @Test
    void goesOnWhileItTellsThatAnIdleConnectionOfTlsIsClosed() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        server.connector().addBean(blocking);
        try (server;
                RawClient client = tls.connect(server.start(blocking).port())) {
            assertSchedulesWhenClosedAsIdle(server);
            assertEquals(-1, client.read());
        }
    }

    @Test
    void goesOnWhileItTellsThatAConnectionIsClosedThatNobodyReads() throws Exception {
        TestServer server = new TestServer(s -> connectors.on(s, new PassiveProtocol()));
        server.connector().addBean(blocking);
        try (server;
                RawClient client = server.start(blocking).client()) {
            assertSchedulesWhenClosedAsIdle(server);
            assertEquals(-1, client.read());
        }
    }
}
