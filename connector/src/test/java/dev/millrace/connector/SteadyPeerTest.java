package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.files.SendfileHandler;
import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A peer that takes a large answer slowly, but faster than it must, is never ended: neither for its pace nor as idle. */
@Timeout(60)
class SteadyPeerTest {
    /** More than the loopback interface gives a connection in buffers. */
    private static final int BYTES = 4 * 1024 * 1024;

    private static final int HALF = BYTES / 2;
    private static final int SMALL_BUFFER_BYTES = 16 * 1024;
    private static final int BYTES_PER_SECOND = 100_000;
    private static final int TICK_MILLIS = 10;
    private static final int STANDSTILL_MILLIS = 100;
    private static final int ATTEMPTS = 5;

    @TempDir
    static Path directory;

    private static byte[] content;

    private final ScheduledExecutorService clock =
            Executors.newScheduledThreadPool(Connectors.values().length * Source.values().length);
    // On a machine that stands still, as a virtual one does when its host has others to serve, nobody is steady: such
    // an attempt is made again, a few times.
    private final ScheduledExecutorService heart = Executors.newSingleThreadScheduledExecutor();
    private final Queue<Standstill> standstills = new ConcurrentLinkedQueue<>();

    private record Standstill(long endNanos, long millis) {
        private boolean isSince(long nanos) {
            return endNanos - nanos > 0;
        }
    }

    enum Source {
        DIRECT("/direct"),
        FILE("");

        private final String prefix;

        Source(String prefix) {
            this.prefix = prefix;
        }
    }

    @BeforeAll
    static void write() throws Exception {
        content = TestFiles.write(directory, "four", BYTES);
        Files.write(directory.resolve("half"), Arrays.copyOf(content, HALF));
    }

    @AfterEach
    void stopTheClock() {
        clock.shutdownNow();
        heart.shutdownNow();
    }

    static Stream<Arguments> cases() {
        return Connectors.senders().flatMap(c -> Stream.of(Source.values()).map(source -> Arguments.of(c, source)));
    }

    private static Handler handler() {
        SendfileHandler files = Handlers.files(directory);
        return new Handler.Sequence(new Direct(), files);
    }

    /** Sends from memory what its path says after its prefix; leaves all else to others. */
    private static final class Direct extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            String path = Request.getPathInContext(request);
            if (!path.startsWith(Source.DIRECT.prefix)) {
                return false;
            }
            int bytes = path.endsWith("/four") ? BYTES : HALF;
            response.getHeaders().put("Content-Length", bytes);
            response.write(
                    true,
                    ByteBuffer.allocateDirect(bytes).put(content, 0, bytes).flip(),
                    callback);
            return true;
        }
    }

    /** As on a slow line, when the send buffer is small: it does not hide the pace of the peer. */
    private static TestServer server(Connectors connectors, int sendBufferBytes) {
        TestServer server = new TestServer(connectors::http);
        MillraceConnector connector = server.millrace();
        connector.getBean(ConnectionSweeper.class).setPeriodMillis(50);
        connector.setSlowPeerGraceMillis(300);
        connector.setMinResponseBytesPerSecond(BYTES_PER_SECOND);
        if (sendBufferBytes > 0) {
            connector.setAcceptedSendBufferSize(sendBufferBytes);
        }
        return server;
    }

    private static RawClient request(TestServer server, Source source, String path) throws Exception {
        RawClient client = new RawClient(server.port(), SMALL_BUFFER_BYTES).get(source.prefix + path);
        while (!client.line().isEmpty()) {
            // The head.
        }
        return client;
    }

    @BeforeEach
    void watchTheMachine() {
        var unused = heart.scheduleAtFixedRate(beat(), 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private Runnable beat() {
        long[] last = {System.nanoTime()};
        return () -> {
            long now = System.nanoTime();
            long pauseMillis = TimeUnit.NANOSECONDS.toMillis(now - last[0]);
            if (pauseMillis >= STANDSTILL_MILLIS) {
                standstills.add(new Standstill(now, pauseMillis));
            }
            last[0] = now;
        };
    }

    private CompletableFuture<byte[]> take(RawClient client, int length, int bytesPerSecond) {
        ByteArrayOutputStream taken = new ByteArrayOutputStream(length);
        CompletableFuture<byte[]> all = new CompletableFuture<>();
        int bytes = bytesPerSecond * TICK_MILLIS / 1000;
        // The host may stop one processor of two, and the heart is on the other.
        Runnable beat = beat();
        ScheduledFuture<?> ticks = clock.scheduleAtFixedRate(
                () -> {
                    beat.run();
                    try {
                        byte[] some = client.in().readNBytes(Math.min(bytes, length - taken.size()));
                        taken.write(some);
                        if (some.length == 0) {
                            all.complete(taken.toByteArray());
                        }
                    } catch (IOException closed) {
                        all.completeExceptionally(closed);
                    }
                },
                0,
                TICK_MILLIS,
                TimeUnit.MILLISECONDS);
        return all.whenComplete((bytesTaken, failure) -> ticks.cancel(false));
    }

    private void assertGets(byte[] expected, Supplier<TestServer> servers, String path, int bytesPerSecond)
            throws Exception {
        for (int attempt = 1; ; attempt++) {
            long begin = System.nanoTime();
            TestServer server = servers.get();
            try (TestServer started = server.start(handler())) {
                assertGets(expected, started, path, bytesPerSecond);
                assertEquals(0, server.millrace().getSlowResponses());
                return;
            } catch (AssertionError | ExecutionException x) {
                List<Standstill> since = standstills.stream()
                        .filter(standstill -> standstill.isSince(begin))
                        .toList();
                if (attempt == ATTEMPTS || since.isEmpty()) {
                    throw new AssertionError("the machine stood still: " + since, x);
                }
            }
        }
    }

    /** From memory and from a file at once, for it takes its time. */
    private void assertGets(byte[] expected, TestServer server, String path, int bytesPerSecond) throws Exception {
        try (RawClient ofMemory = request(server, Source.DIRECT, path)) {
            CompletableFuture<byte[]> fromMemory = take(ofMemory, expected.length, bytesPerSecond);
            try (RawClient ofFile = request(server, Source.FILE, path)) {
                CompletableFuture<byte[]> fromFile = take(ofFile, expected.length, bytesPerSecond);
                assertArrayEquals(expected, fromMemory.get(30, TimeUnit.SECONDS), "from memory");
                assertArrayEquals(expected, fromFile.get(30, TimeUnit.SECONDS), "from a file");
            }
        }
    }

    @Test
    void getsEveryByte() throws Exception {
        byte[] half = Arrays.copyOf(content, HALF);
        AtOnce.on(
                Connectors.senders(),
                connectors -> assertGets(
                        half,
                        () -> {
                            TestServer server = server(connectors, SMALL_BUFFER_BYTES);
                            server.connector().setIdleTimeout(600);
                            return server;
                        },
                        "/half",
                        1_000_000));
    }

    /** The loopback interface gives a connection 2.5 MB, and a writer is woken when a third of that is free. */
    @Test
    void getsEveryByteThroughALargeSendBuffer() throws Exception {
        AtOnce.on(
                Connectors.senders(),
                connectors -> assertGets(content, () -> server(connectors, 0), "/four", 1_200_000));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void isEndedWhenItTakesNothing(Connectors connectors, Source source) throws Exception {
        TestServer server = server(connectors, SMALL_BUFFER_BYTES);
        // A busy machine may hold up the server before the head has come.
        server.millrace().setMinResponseBytesPerSecond(0);
        try (TestServer started = server.start(handler());
                RawClient client = request(started, source, "/four")) {
            server.millrace().setMinResponseBytesPerSecond(BYTES_PER_SECOND);
            Await.until("ended", () -> server.millrace().getSlowResponses() == 1);
            server.awaitNoEndPoints();
        }
    }
}
