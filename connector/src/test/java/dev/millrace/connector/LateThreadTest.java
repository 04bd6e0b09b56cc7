package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A write of a blocking connector whose thread comes late: the peer is not to blame. */
@Timeout(60)
class LateThreadTest {
    private static final int SHORT_MILLIS = 50;
    private static final int LONG_MILLIS = 30_000;
    /** More than the sockets of both sides take. */
    private static final int BYTES = 32_000_000;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
    private volatile boolean holds;

    private final Handler handler = Handlers.of((request, response, callback) -> {
        holds = true;
        // It must not block, so that another thread completes its write.
        threads.execute(() -> response.write(true, ByteBuffer.allocate(BYTES), callback));
    });

    /** A connector whose new tasks wait until the test lets them run. */
    private final class Late extends BioConnector {
        private Late(Server server, ConnectionFactory... factories) {
            super(server, factories);
            setThreads("platform");
        }

        @Override
        ConnectionThreads newConnectionThreads(String threadName, boolean ofVirtualThreads) {
            return new ConnectionThreads(threadName, this::hold, false);
        }

        private void hold(Runnable task) {
            if (holds) {
                held.add(task);
            } else {
                threads.execute(task);
            }
        }
    }

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private void release() {
        holds = false;
        for (Runnable task = held.poll(); task != null; task = held.poll()) {
            threads.execute(task);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void doesNotExpire(boolean isSecure) throws Exception {
        Tls tls = new Tls();
        ConnectionFactory http = new HttpConnectionFactory();
        try (TestServer server = new TestServer(s ->
                isSecure ? new Late(s, new TlsConnectionFactory(tls.server(), "http/1.1"), http) : new Late(s, http))) {
            server.start(handler);
            try (RawClient client = isSecure ? tls.connect(server.port()) : server.client()) {
                client.get("/");
                Await.until(
                        "there",
                        () -> !server.connector().getConnectedEndPoints().isEmpty());
                AbstractEndPoint endPoint = (AbstractEndPoint)
                        server.connector().getConnectedEndPoints().iterator().next();
                Await.until(
                        "the write waits for its thread",
                        () -> !held.isEmpty() && endPoint.getWriteFlusher().isPending());
                endPoint.setIdleTimeout(SHORT_MILLIS);
                AtomicLong idleFor = new AtomicLong();
                Await.until("expired", () -> endPoint.getIdleFor() < idleFor.getAndSet(endPoint.getIdleFor()));
                endPoint.setIdleTimeout(LONG_MILLIS);
                release();
                assertEquals(BYTES, client.answer().body().length);
            }
        }
    }
}
