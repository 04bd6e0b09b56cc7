package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ReservedThreadExecutor;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * With {@code dispatch=selector}, and with {@code adaptive} where handlers say that they do not block, as those for
 * files do: a thread that sends a large file leaves the selector to another before, and not for a small one.
 */
@Timeout(60)
class LeftSelectorTest {
    private static final int LARGE = 256 * 1024;
    private static final int REQUESTS = 20;

    @TempDir
    Path directory;

    private final CountDownLatch release = new CountDownLatch(1);
    private final Semaphore begun = new Semaphore(0);
    private final Map<String, Thread> handlers = new ConcurrentHashMap<>();

    /** Does not look after the selectors: a selector that is not left to another thread stands still. */
    static final class NoLooks extends ScheduledExecutorScheduler {
        @Override
        public Task schedule(Runnable task, long delay, TimeUnit unit) {
            long millis = unit.toMillis(delay);
            return millis == SelectorExecutor.RUN_MILLIS || millis == SelectorExecutor.WAIT_MILLIS
                    ? () -> false
                    : super.schedule(task, delay, unit);
        }
    }

    /** Sends files. ?wait: returns when released; ?next: begins when the next request is there. */
    private Handler files() {
        SendfileHandler files = Handlers.files(directory);
        return Handlers.around(files, (request, response, callback) -> {
            handlers.put(request.getHttpURI().getPathQuery(), Thread.currentThread());
            SocketChannel channel = EndPoints.channel(request);
            String query = request.getHttpURI().getQuery();
            if ("next".equals(query)) {
                begun.release();
                Await.until("the next request", () -> EndPoints.available(channel) > 0);
            }
            boolean handled = files.handle(request, response, callback);
            if ("wait".equals(query)) {
                release.await();
            }
            return handled;
        });
    }

    /** Does not look after tasks that run for long without a word that they may wait. */
    private static final class NoWatch extends ScheduledExecutorScheduler {
        @Override
        public Task schedule(Runnable task, long delay, TimeUnit unit) {
            return unit.toMillis(delay) == SelectorExecutor.RUN_MILLIS
                    ? () -> false
                    : super.schedule(task, delay, unit);
        }
    }

    @Test
    void aHandlerStopsItsOwnServer() throws Exception {
        CompletableFuture<Boolean> stopped = new CompletableFuture<>();
        Handler handler = Handlers.of((request, response, callback) -> {
            LifeCycle.stop(request.getConnectionMetaData().getConnector());
            stopped.complete(true);
            callback.succeeded();
        });
        TestServer server = new TestServer(s -> {
            NioConnector connector = new NioConnector(s, null, new NoWatch(), null, 1, 1, new HttpConnectionFactory());
            connector.setDispatch("selector");
            return connector;
        });
        try (server;
                RawClient client = server.start(handler).client()) {
            client.get("/");
            assertTrue(stopped.get(30, TimeUnit.SECONDS));
        }
    }

    private TestServer server(String dispatch) {
        TestServer server = new TestServer(s -> {
            NioConnector connector = new NioConnector(s, null, new NoLooks(), null, 1, 1, new HttpConnectionFactory());
            connector.setDispatch(dispatch);
            return connector;
        });
        // Lest a file waits for its reader.
        server.connector().setAcceptedSendBufferSize(2 * LARGE);
        return server;
    }

    private static SelectorStatistics statistics(TestServer server) {
        return ((NioConnector) server.connector()).getSelectorStatistics();
    }

    /** A pool has such threads only when they have been asked for in vain. */
    private static void awaitReadyThread(TestServer server, RawClient client) {
        ReservedThreadExecutor reserved =
                ((QueuedThreadPool) server.server().getThreadPool()).getBean(ReservedThreadExecutor.class);
        Await.until("another thread stands ready", () -> {
            try {
                assertEquals(200, client.get("/large").answer().status());
            } catch (IOException x) {
                throw new UncheckedIOException(x);
            }
            return reserved.getAvailable() > 0;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"selector", "adaptive"})
    void servesOthersWhileWhoHasSentALargeFileGoesOn(String dispatch) throws Exception {
        byte[] large = TestFiles.write(directory, "large", LARGE);
        byte[] small = TestFiles.write(directory, "small", 20_000);
        try (TestServer server = server(dispatch).start(files());
                AutoCloseable end = release::countDown;
                RawClient client = server.client();
                RawClient other = server.client()) {
            awaitReadyThread(server, client);
            assertArrayEquals(large, client.get("/large?wait").answer().body());
            assertArrayEquals(small, other.get("/small").answer().body());
            assertNotSame(handlers.get("/large?wait"), handlers.get("/small"));
            release.countDown();
            assertArrayEquals(small, client.get("/small").answer().body());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"selector", "adaptive"})
    void looksForTheNextRequestAsAnyThreadDoes(String dispatch) throws Exception {
        byte[] large = TestFiles.write(directory, "large", LARGE);
        try (TestServer server = server(dispatch).start(files());
                RawClient first = server.client();
                RawClient client = server.client()) {
            awaitReadyThread(server, first);
            long before = statistics(server).getRequestsInRow();
            client.get("/large?next");
            for (int i = 1; i < REQUESTS; i++) {
                begun.acquire();
                client.get(i == REQUESTS - 1 ? "/large" : "/large?next");
                assertArrayEquals(large, client.answer().body());
            }
            assertArrayEquals(large, client.answer().body());
            assertEquals(REQUESTS - 1, statistics(server).getRequestsInRow() - before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"selector", "adaptive"})
    void staysForASmallerFile(String dispatch) throws Exception {
        byte[] smaller = TestFiles.write(directory, "smaller", LARGE - 1);
        try (TestServer server = server(dispatch).start(files());
                RawClient client = server.client()) {
            for (int i = 0; i < REQUESTS; i++) {
                assertArrayEquals(smaller, client.get("/smaller").answer().body());
            }
            Await.until("nothing handed over", () -> statistics(server).getHandOvers() == 0);
            assertEquals(0, statistics(server).getRequestsInRow());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"selector", "adaptive"})
    void staysWhenNoThreadStandsReady(String dispatch) throws Exception {
        byte[] large = TestFiles.write(directory, "large", LARGE);
        TestServer few = server(dispatch);
        ((QueuedThreadPool) few.server().getThreadPool()).setReservedThreads(0);
        try (TestServer server = few.start(files());
                RawClient client = server.client()) {
            for (int i = 0; i < REQUESTS; i++) {
                assertArrayEquals(large, client.get("/large").answer().body());
            }
            Await.until("nothing handed over", () -> statistics(server).getHandOvers() == 0);
            assertEquals(0, statistics(server).getRequestsInRow());
        }
    }
}
