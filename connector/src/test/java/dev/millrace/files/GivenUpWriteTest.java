package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.cache.SliceMemory;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.xsendfile.XSendfileHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.MinimumDataRateHandler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jetty's MinimumDataRateHandler fails the callback of a write that is still pending, and fails it again when that ends. The memory
 * and the file of such an answer are given back once, and not before nobody sends from them.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(60)
class GivenUpWriteTest {
    private static final int SMALL_BYTES = 60_000;
    /** They begin before the write does. */
    private static final int GIVEN_UP_MILLIS = 1000;
    /** More than the sockets of both sides take. */
    private static final int LARGE_BYTES = 32 << 20;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    /** Gives up requests for {@code ?slow} after a moment; others go past it. */
    private static Handler someAreGivenUp(Handler others) {
        Handler givenUp = new MinimumDataRateHandler(others, 0, SMALL_BYTES * 1000L / GIVEN_UP_MILLIS);
        return Handlers.around(
                givenUp,
                (request, response, callback) ->
                        "slow".equals(request.getHttpURI().getQuery())
                                ? givenUp.handle(request, response, callback)
                                : others.handle(request, response, callback));
    }

    private TestServer server(Handler handler) throws Exception {
        return server(handler, connectors::httpAndHttp2);
    }

    private TestServer server(Handler handler, Function<Server, ServerConnector> connector) throws Exception {
        TestServer server = new TestServer(connector);
        server.connector().setAcceptedSendBufferSize(16 * 1024);
        return server.start(handler);
    }

    /** A cache with room for one file. */
    private SendfileContentFactory cache() {
        files.setBaseResourceAsString(directory.toString());
        SendfileContentFactory cache = files.getSendfileContentFactory();
        cache.getSettings().setMaxCacheBytes(SliceMemory.wholeSlices(SMALL_BYTES));
        cache.getSettings().setValidMillis(50);
        return cache;
    }

    private static void get(RawClient client, String path, byte[] expected, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            assertArrayEquals(expected, client.get(path).answer().body());
        }
    }

    /** Asks slowly, and is given up. */
    private interface Slow {
        void ask(TestServer server) throws Exception;
    }

    private void assertOthersKeepTheirBytes(Slow slow) throws Exception {
        byte[] first = TestFiles.write(directory, "first.bin", SMALL_BYTES);
        byte[] second = TestFiles.write(directory, "second.bin", SMALL_BYTES);
        SendfileContentFactory cache = cache();
        try (TestServer server = server(someAreGivenUp(files));
                RawClient client = server.client();
                RawClient stalled = new RawClient(server.port(), 4096)) {
            get(client, "/first.bin", first, 5);
            assertEquals(1, cache.getCachedFiles());
            stalled.get("/first.bin");
            assertEquals("HTTP/1.1 200 OK", stalled.line());
            slow.ask(server);
            assertEquals(2, cache.getCacheHits());
            Files.delete(directory.resolve("first.bin"));
            Await.until("the first has left", () -> cache.getCachedFiles() == 0);
            // Of what was given back too often this would take the place.
            get(client, "/second.bin", second, 10);
            while (!stalled.line().isEmpty()) {
                // The fields before the body.
            }
            assertArrayEquals(first, stalled.in().readNBytes(SMALL_BYTES));
            Await.until("the memory is free", () -> cache.getCachedBytes() == 0);
        }
    }

    @Test
    void ofTheContentCacheLeavesOthersTheirBytes() throws Exception {
        assertOthersKeepTheirBytes(server -> {
            try (RawClient slow = new RawClient(server.port(), 4096)) {
                slow.get("/first.bin?slow");
                assertEquals("HTTP/1.1 200 OK", slow.line());
                server.awaitEndPoints(2);
            }
        });
    }

    // The frame may wait for the window for ever, and longer than its callback.
    @Test
    void ofTheContentCacheOverHttp2LeavesOthersTheirBytes() throws Exception {
        assertOthersKeepTheirBytes(server -> {
            try (RawClient slow = server.client()) {
                Http2Frames http2 = new Http2Frames(slow);
                http2.setWindows(100);
                http2.get("/first.bin?slow");
                assertThrows(IOException.class, http2::content);
            }
        });
    }

    // The timer's thread ends it, of which a server has one.
    @Test
    void overTlsIsEnded() throws Exception {
        byte[] first = TestFiles.write(directory, "first.bin", SMALL_BYTES);
        SendfileContentFactory cache = cache();
        Tls keys = new Tls();
        Observer observer = new Observer(files);
        Handler handler = someAreGivenUp(observer);
        try (TestServer server = server(handler, s -> connectors.https(s, keys));
                RawClient client = keys.connect(server.port());
                Socket plain = new Socket()) {
            get(client, "/first.bin", first, 5);
            plain.setReceiveBufferSize(4096);
            plain.connect(new InetSocketAddress("127.0.0.1", server.port()));
            try (RawClient slow = keys.over(plain)) {
                slow.get("/first.bin?slow");
                assertTrue(observer.isEnded.get(30, TimeUnit.SECONDS));
                server.awaitEndPoints(1);
                assertEquals(1, cache.getCacheHits());
                CompletableFuture<Void> told = new CompletableFuture<>();
                server.server().getScheduler().schedule(() -> told.complete(null), 1, TimeUnit.MILLISECONDS);
                told.get(30, TimeUnit.SECONDS);
            }
        }
    }

    /** Whether the end point writes no more when the handler below says that it has failed. */
    private static final class Observer extends Handler.Wrapper {
        private final CompletableFuture<Boolean> isEnded = new CompletableFuture<>();

        private Observer(Handler handler) {
            super(handler);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            AbstractEndPoint endPoint = (AbstractEndPoint) EndPoints.of(request);
            return super.handle(request, response, Callback.from(callback::succeeded, cause -> {
                isEnded.complete(endPoint.getWriteFlusher().isFailed());
                callback.failed(cause);
            }));
        }
    }

    private Path large() throws IOException {
        Path large = directory.resolve("large.jpg");
        TestFiles.resize(large, 100_000_000);
        return large;
    }

    private static Handler givenUp(Handler handler) {
        return new MinimumDataRateHandler(handler, 0, 100_000_000 * 1000L / GIVEN_UP_MILLIS);
    }

    private void assertEnded(Observer observer, Handler handler) throws Exception {
        try (Logged logged = new Logged("org.eclipse.jetty");
                TestServer server = server(handler)) {
            try (RawClient client = new RawClient(server.port(), 4096)) {
                client.send("GET /large.jpg HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
                assertTrue(observer.isEnded.get(30, TimeUnit.SECONDS));
                server.awaitNoEndPoints();
            }
            assertEquals(0, logged.count("Exception"));
        }
        Await.until("closed", () -> Leaks.descriptors(directory) == 0 && Leaks.mappings(directory) == 0);
    }

    private interface Connect {
        RawClient over(Socket plain) throws Exception;
    }

    /** Jetty waits for the end of a write by a latch, which an interrupted thread does not pass. */
    private void assertAnInterruptStays(Function<Server, ServerConnector> connector, Connect connect) throws Exception {
        CompletableFuture<ReleasingCallback> begun = new CompletableFuture<>();
        AtomicInteger released = new AtomicInteger();
        Handler handler = Handlers.of((request, response, callback) -> {
            ReleasingCallback write = new ReleasingCallback(released::incrementAndGet, response, callback);
            begun.complete(write);
            write.write(response, true, ByteBuffer.allocateDirect(LARGE_BYTES));
        });
        try (TestServer server = server(handler, connector);
                Socket plain = new Socket()) {
            plain.setReceiveBufferSize(4096);
            plain.connect(new InetSocketAddress("127.0.0.1", server.port()));
            try (RawClient slow = connect.over(plain)) {
                slow.get("/");
                ReleasingCallback write = begun.get(30, TimeUnit.SECONDS);
                server.awaitBlockedWrite();
                Thread.currentThread().interrupt();
                write.failed(new IOException("given up"));
                assertTrue(Thread.interrupted(), "the interrupt is the application's");
                assertEquals(1, released.get());
                server.awaitNoEndPoints();
            }
        }
    }

    @Test
    void leavesTheThreadThatGivesUpItsInterrupt() throws Exception {
        assertAnInterruptStays(connectors::http, RawClient::new);
    }

    @Test
    void overTlsLeavesTheThreadThatGivesUpItsInterrupt() throws Exception {
        Tls keys = new Tls();
        assertAnInterruptStays(server -> connectors.https(server, keys), keys::over);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void ofARegionIsEnded() throws Exception {
        large();
        files.setBaseResourceAsString(directory.toString());
        Observer observer = new Observer(files);
        assertEnded(observer, givenUp(observer));
    }

    /** Names the file, and completes at once or on another thread. */
    private Handler application(boolean isAsynchronous) {
        return Handlers.of((request, response, callback) -> {
            response.getHeaders().put("X-Sendfile", large().toString());
            if (isAsynchronous) {
                request.getComponents().getExecutor().execute(callback::succeeded);
            } else {
                callback.succeeded();
            }
        });
    }

    private void assertEndsPastACompression(boolean isAsynchronous) throws Exception {
        XSendfileHandler delegating = new XSendfileHandler(application(isAsynchronous));
        delegating.addRoot(directory.toString());
        Observer observer = new Observer(delegating);
        assertEnded(observer, givenUp(new CompressionHandler(observer)));
        assertEquals(1, delegating.getSendfileContentFactory().getTransfers());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void ofARegionThatGoesPastACompressionIsEnded() throws Exception {
        assertEndsPastACompression(false);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void ofARegionThatAnotherThreadWritesIsEnded() throws Exception {
        assertEndsPastACompression(true);
    }
}
