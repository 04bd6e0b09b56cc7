package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
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

    static Stream<Connectors> blocking() {
        return Connectors.ours().filter(c -> c.name().startsWith("BIO"));
    }

    /** A pool whose threads come late, when it is told so. */
    private static final class LatePool extends QueuedThreadPool {
        private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        private volatile boolean holding;

        @Override
        public boolean tryExecute(Runnable task) {
            return holding ? held.add(task) : super.tryExecute(task);
        }

        void runHeld() {
            holding = false;
            Await.until("held", () -> !held.isEmpty());
            held.forEach(Runnable::run);
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
        void with(RawClient client, LatePool pool) throws Exception;
    }

    private void serve(Connectors connectors, Exchange exchange) throws Exception {
        LatePool pool = new LatePool();
        Server server = new Server(pool);
        ServerConnector connector = connectors.http(server);
        connector.setHost("127.0.0.1");
        connector.addBean(new Opening());
        server.addConnector(connector);
        server.setHandler(handler());
        server.start();
        try (RawClient client = new RawClient(connector.getLocalPort(), 4096)) {
            exchange.with(client, pool);
            assertEquals(Handlers.HELLO, client.get("/").answer().text());
        } finally {
            release.countDown();
            pool.holding = false;
            server.stop();
        }
    }

    @ParameterizedTest
    @MethodSource("blocking")
    void doesNotFailAWriteThatHasEnded(Connectors connectors) throws Exception {
        serve(connectors, (client, pool) -> {
            release.countDown();
            client.get("/large");
            Await.until("writing", () -> endPoint != null && endPoint.writeDuty.isWriting());
            pool.holding = true;
            endPoint.onIdleExpired(new TimeoutException("expired by a test"));
            assertEquals(BYTES, client.answer().body().length);
            Await.until("written", endPoint::isFillInterested);
            pool.runHeld();
        });
    }

    /** A listener of connections takes longer than the timeout. */
    @ParameterizedTest
    @MethodSource("blocking")
    void doesNotCloseAConnectionThatAwaitsARequest(Connectors connectors) throws Exception {
        serve(connectors, (client, pool) -> {
            assertTrue(opening.await(30, TimeUnit.SECONDS));
            pool.holding = true;
            endPoint.onIdleExpired(new TimeoutException("expired by a test"));
            release.countDown();
            Await.until("idle", endPoint::isFillInterested);
            pool.runHeld();
        });
    }
}
