package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An expired idle timeout ends nothing when its thread comes late, and the connection has gone on meanwhile. */
@Timeout(60)
class LateExpiryTest {
    private static final int BYTES = 16 << 20;

    private final CountDownLatch opening = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private volatile BioEndPoint endPoint;

    /** A connector whose threads for what blocks come late, when it is told so. */
    private static final class LateConnector extends BioConnector {
        private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        private volatile boolean holding;

        private LateConnector(Server server) {
            super(server, new HttpConnectionFactory());
        }

        @Override
        void executeImmediately(Runnable task) {
            if (holding) {
                held.add(task);
            } else {
                super.executeImmediately(task);
            }
        }

        void runHeld() {
            holding = false;
            assertEquals(1, held.size());
            held.remove().run();
        }
    }

    /** Holds up the thread that opens a connection. */
    private final class Opening implements Connection.Listener {
        @Override
        public void onOpened(Connection connection) {
            endPoint = (BioEndPoint) connection.getEndPoint();
            opening.countDown();
            try {
                assertTrue(release.await(30, TimeUnit.SECONDS));
            } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void onClosed(Connection connection) {
            // Of no interest.
        }
    }

    private Handler handler() {
        return Handlers.of((request, response, callback) -> {
            if (Request.getPathInContext(request).equals("/large")) {
                response.write(true, ByteBuffer.allocate(BYTES), callback);
            } else {
                Content.Sink.write(response, true, Handlers.HELLO, callback);
            }
        });
    }

    private interface Exchange {
        void with(RawClient client, LateConnector connector) throws Exception;
    }

    private void serve(String threads, Exchange exchange) throws Exception {
        Server server = new Server();
        LateConnector connector = new LateConnector(server);
        connector.setThreads(threads);
        connector.setHost("127.0.0.1");
        connector.addBean(new Opening());
        server.addConnector(connector);
        server.setHandler(handler());
        server.start();
        try (RawClient client = new RawClient(connector.getLocalPort(), 4096)) {
            exchange.with(client, connector);
            assertEquals(Handlers.HELLO, client.get("/").answer().text());
        } finally {
            release.countDown();
            connector.holding = false;
            server.stop();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#threads")
    void doesNotFailAWriteThatHasEnded(String threads) throws Exception {
        serve(threads, (client, connector) -> {
            release.countDown();
            client.get("/large");
            Await.until("writing", () -> endPoint != null && endPoint.writeDuty.isWriting());
            connector.holding = true;
            endPoint.onIdleExpired(new TimeoutException("expired by a test"));
            assertEquals(BYTES, client.answer().body().length);
            Await.until("written", endPoint::isFillInterested);
            connector.runHeld();
        });
    }

    /** A listener of connections takes longer than the timeout. */
    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#threads")
    void doesNotCloseAConnectionThatAwaitsARequest(String threads) throws Exception {
        serve(threads, (client, connector) -> {
            assertTrue(opening.await(30, TimeUnit.SECONDS));
            connector.holding = true;
            endPoint.onIdleExpired(new TimeoutException("expired by a test"));
            release.countDown();
            Await.until("idle", endPoint::isFillInterested);
            connector.runHeld();
        });
    }
}
