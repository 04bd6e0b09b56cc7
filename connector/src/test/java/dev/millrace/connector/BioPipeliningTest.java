package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.testing.TlsPeer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that came together are answered by the connection's own thread: Jetty's parser says late that one has no content. */
@Timeout(60)
class BioPipeliningTest {
    private static final int REQUESTS = 16;
    private static final int POOL_THREADS = 8;

    private final Tls tls = new Tls();
    private final Queue<Thread> handling = new ConcurrentLinkedQueue<>();
    private final Handler handler = Handlers.text(request -> {
        handling.add(Thread.currentThread());
        return "fine";
    });

    @Test
    void answersPipelinedRequestsWithoutAnotherThread() throws Exception {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < REQUESTS; i++) {
            requests.append("GET /").append(i).append(" HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
        try (TestServer server = new TestServer(BioConnector::new).start(Handlers.path());
                RawClient client = server.client().send(requests.toString())) {
            for (int i = 0; i < REQUESTS; i++) {
                assertEquals("/" + i, client.answer().text());
            }
            ConnectorStatistics statistics = ((BioConnector) server.connector()).getConnectorStatistics();
            assertEquals(0, statistics.getBackgroundWrites());
            assertEquals(0, statistics.getHandOvers());
        }
    }

    private TestServer secureServer(String threads) {
        return new TestServer(s -> {
            BioConnector connector = (BioConnector) Connectors.BIO_PLATFORM.https(s, tls);
            connector.setThreads(threads);
            return connector;
        });
    }

    /** Sends each request in a record of its own, all records by one write, and reads to the end of the last answer. */
    private void exchange(TestServer server) throws Exception {
        try (TlsPeer peer = new TlsPeer(tls, server.port(), "TLSv1.3").handshake()) {
            ByteArrayOutputStream records = new ByteArrayOutputStream();
            for (int i = 1; i <= REQUESTS; i++) {
                String last = i < REQUESTS ? "" : "Connection: close\r\n";
                records.writeBytes(peer.records("GET / HTTP/1.1\r\nHost: localhost\r\n" + last + "\r\n"));
            }
            peer.sendRecords(records.toByteArray());
            String answers = new String(peer.readAll(), StandardCharsets.ISO_8859_1);
            assertEquals(REQUESTS, answers.split("fine", -1).length - 1, answers);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#threads")
    void answersRecordsThatCameTogetherWithoutAnotherThread(String threads) throws Exception {
        try (TestServer server = secureServer(threads).start(handler)) {
            exchange(server);
            assertEquals(1, Set.copyOf(handling).size(), handling::toString);
            assertTrue(handling.element().getName().startsWith("bio-"), handling::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#threads")
    void answersRecordsThatCameTogetherWhilePoolHasNoThread(String threads) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        TestServer server = secureServer(threads);
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        pool.setMinThreads(POOL_THREADS);
        pool.setMaxThreads(POOL_THREADS);
        pool.setReservedThreads(0);
        try (TestServer started = server.start(handler);
                AutoCloseable end = release::countDown) {
            for (int i = 0; i < POOL_THREADS; i++) {
                pool.execute(() -> awaitRelease(release));
            }
            // The acceptor has one of the threads.
            Await.until("all threads wait", () -> pool.getIdleThreads() == 0 && pool.getQueueSize() > 0);
            exchange(started);
        }
    }

    private static void awaitRelease(CountDownLatch release) {
        try {
            release.await();
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }
}
