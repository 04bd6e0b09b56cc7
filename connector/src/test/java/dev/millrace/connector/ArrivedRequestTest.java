package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A request that has arrived when the idle timeout expires is answered, although other requests have all threads that could read it.
 * Jetty's own connector, with a pool that is busy, ends such a connection.
 */
@Timeout(60)
class ArrivedRequestTest {
    private static final int THREADS = 8;

    private final CountDownLatch release = new CountDownLatch(1);
    private final List<RawClient> others = new ArrayList<>();
    private volatile MillraceEndPoint first;

    /** A thread of the system's waits for each connection, or with {@code adaptive} the selector's may read, though the pool is busy. */
    static Stream<Connectors> held() {
        return Connectors.ours().filter(c -> c != Connectors.BIO_PLATFORM && c != Connectors.NIO);
    }

    /** Answers its path; a request for /busy has its thread until it is released. */
    private final class Busy extends Handler.Abstract {
        private final boolean isSpinning;
        private final CountDownLatch begun;

        private Busy(boolean isSpinning, CountDownLatch begun) {
            this.isSpinning = isSpinning;
            this.begun = begun;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String path = Request.getPathInContext(request);
            if (path.equals("/first")) {
                first = (MillraceEndPoint) MillraceEndPoint.socket(EndPoints.of(request));
            } else if (path.equals("/busy")) {
                begun.countDown();
                // One that waited would be replaced, in the selector, or as the carrier of others.
                while (isSpinning && release.getCount() > 0) {
                    Thread.onSpinWait();
                }
                assertTrue(release.await(30, TimeUnit.SECONDS));
            }
            Content.Sink.write(response, true, path, callback);
            return true;
        }
    }

    /** Nobody looks after a selector: when the test stands still for a second, no other thread reads in its place. */
    private static ServerConnector on(Connectors connectors, Server server, ConnectionFactory... factories) {
        if (connectors != Connectors.NIO_SELECTOR) {
            return connectors.on(server, factories);
        }
        NioConnector unwatched =
                new NioConnector(server, null, new SelectorDispatchTest.ShortLooks(), null, 1, 1, factories);
        unwatched.setDispatch("selector");
        return unwatched;
    }

    private static TestServer server(Connectors connectors) {
        return new TestServer(s -> on(connectors, s, new HttpConnectionFactory()));
    }

    private static int carriers() {
        return Integer.getInteger(
                "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
    }

    private Busy busy(Connectors connectors) {
        return switch (connectors) {
            case NIO_SELECTOR -> new Busy(true, new CountDownLatch(1));
            case BIO_VIRTUAL -> new Busy(true, new CountDownLatch(carriers()));
            default -> new Busy(false, new CountDownLatch(2 * THREADS));
        };
    }

    private static void start(TestServer server, Handler handler) throws Exception {
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        pool.setMaxThreads(THREADS);
        // One that stands ready would let the selector's thread read.
        pool.setReservedThreads(0);
        server.start(handler);
    }

    /** Returns when other requests have all threads. */
    private void hold(TestServer server, Busy busy, Connect connect) throws Exception {
        long requests = busy.begun.getCount();
        for (long i = 0; i < requests; i++) {
            others.add(connect.client().get("/busy"));
        }
        if (busy.isSpinning) {
            assertTrue(busy.begun.await(30, TimeUnit.SECONDS));
            return;
        }
        QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
        // Those that have not begun wait in the pool's queue: more of them than a thread could take that comes yet.
        Await.until(
                "all threads busy",
                () -> pool.getThreads() == THREADS
                        && pool.getIdleThreads() == 0
                        && pool.getQueueSize() >= busy.begun.getCount());
    }

    private interface Connect {
        RawClient client() throws Exception;
    }

    private void release() throws IOException {
        release.countDown();
        for (RawClient other : others) {
            assertEquals("/busy", other.answer().text());
            other.close();
        }
    }

    private void awaitArrived() {
        Await.until("arrived", () -> ReadAhead.hasUnread(first.getChannel()));
    }

    private void expire() {
        TimeoutException timeout = new TimeoutException("expired by a test");
        if (first instanceof BioEndPoint bio) {
            bio.onIdleExpired(timeout);
        } else {
            ((NioEndPoint) first).onIdleExpired(timeout);
        }
    }

    private void awaitIdle() {
        Await.until("idle", this::isIdle);
    }

    // The interest comes first: its thread may look for the next request yet, and would read that.
    private boolean isIdle() {
        return first.isFillInterested() && first.handlingThread() == null;
    }

    private void assertAnswers(TestServer server, Busy busy, Connect connect) throws Exception {
        try (RawClient client = connect.client()) {
            assertEquals("/first", client.get("/first").answer().text());
            awaitIdle();
            hold(server, busy, connect);
            client.get("/second");
            awaitArrived();
            expire();
            release();
            assertEquals("/second", client.answer().text());
            assertEquals("/third", client.get("/third").answer().text());
        } finally {
            release.countDown();
        }
    }

    @ParameterizedTest
    @MethodSource("held")
    void isAnswered(Connectors connectors) throws Exception {
        Busy busy = busy(connectors);
        try (TestServer server = server(connectors)) {
            start(server, busy);
            assertAnswers(server, busy, server::client);
        }
    }

    @ParameterizedTest
    @MethodSource("held")
    void isAnsweredOverTls(Connectors connectors) throws Exception {
        Busy busy = busy(connectors);
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> {
            HttpConnectionFactory http = new HttpConnectionFactory();
            return on(connectors, s, connectors.tls(tls.server(), http.getProtocol()), http);
        });
        try (server) {
            start(server, busy);
            // The requests that hold the threads need no handshake of their own with a thread that they hold.
            List<RawClient> shaken = new ArrayList<>();
            for (int i = 0; i <= Math.max(2 * THREADS, carriers()); i++) {
                RawClient client = tls.connect(server.port());
                assertEquals("/", client.get("/").answer().text());
                shaken.add(client);
            }
            assertAnswers(server, busy, () -> shaken.remove(0));
            for (RawClient unused : shaken) {
                unused.close();
            }
        }
    }

    /** The server may be stuck for ever. */
    @ParameterizedTest
    @MethodSource("held")
    void isGivenUpWhenNobodyHasReadItForAWholeTimeoutMore(Connectors connectors) throws Exception {
        Busy busy = busy(connectors);
        try (TestServer server = server(connectors);
                RawClient client = started(server, busy)) {
            hold(server, busy, server::client);
            client.get("/second");
            awaitArrived();
            expire();
            expire();
            assertEquals(-1, client.read());
            release();
        } finally {
            release.countDown();
        }
    }

    private RawClient started(TestServer server, Busy busy) throws Exception {
        start(server, busy);
        RawClient client = server.client();
        assertEquals("/first", client.get("/first").answer().text());
        awaitIdle();
        return client;
    }

    /** The end is no request. */
    @ParameterizedTest
    @MethodSource("held")
    void isNotAwaitedFromAPeerThatHasEnded(Connectors connectors) throws Exception {
        Busy busy = busy(connectors);
        try (TestServer server = server(connectors);
                RawClient client = started(server, busy)) {
            hold(server, busy, server::client);
            client.shutdownOutput();
            expire();
            assertEquals(-1, client.read());
            release();
        } finally {
            release.countDown();
        }
    }

    /** What was read of it is none that has arrived. */
    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void isNotAwaitedWhenOnlyAPartHasCome(Connectors connectors) throws Exception {
        try (TestServer server = new TestServer(connectors::http);
                RawClient client = started(server, busy(connectors))) {
            long read = first.getConnection().getBytesIn();
            client.send("GET /second HT");
            Await.until("read, and idle again", () -> first.getConnection().getBytesIn() > read && isIdle());
            expire();
            assertEquals(-1, client.read());
        }
    }
}
