package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The open model sends requests by the clock, and a throttle delays downloads. */
class OpenModelTest {

    private static final long HICCUP_NANOS = 400_000_000L;

    @TempDir
    private Path folder;

    /** A server that remembers when requests came. */
    private static final class Arrivals implements TestServer.Behaviour {
        private final List<Long> nanos = Collections.synchronizedList(new ArrayList<>());

        @Override
        public void answer(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
            nanos.add(System.nanoTime());
            TestServer.answerUuids(request, out, socket);
        }

        /** Whether none came before it was due by a schedule that began then at the earliest. */
        private boolean keepTo(long beginNanos, double interval) {
            List<Long> sorted = nanos.stream().sorted().toList();
            return IntStream.range(0, sorted.size()).allMatch(i -> sorted.get(i) - beginNanos >= i * interval * 1e9);
        }
    }

    /** Answers a request only when the next has come: a client that waits for each answer sends one. */
    private static final class Overlapping implements TestServer.Behaviour {
        private static final int REQUESTS = 4;
        private final CountDownLatch[] come =
                Stream.generate(() -> new CountDownLatch(1)).limit(REQUESTS).toArray(CountDownLatch[]::new);
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public void answer(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
            int number = count.getAndIncrement();
            come[number].countDown();
            try {
                come[Math.min(number + 1, REQUESTS - 1)].await();
            } catch (InterruptedException x) {
                throw new InterruptedIOException();
            }
            TestServer.takeTime(3_000_000_000L);
            TestServer.answerUuids(request, out, socket);
        }
    }

    private CellResult only() throws IOException {
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    @Test
    void theRateIsKeptAndNamed() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=4",
                    "-R=200",
                    "-d=1s",
                    "--warmup=100ms",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            CellResult cell = only();
            assertEquals("open", cell.model());
            assertEquals("200", cell.parameters().get("rate"));
            assertNotNull(cell.times().lateness());
            assertEquals(
                    (double) due(cell, 200),
                    (double) cell.times().latency().count(),
                    1,
                    "where the line met the window's edge");
            assertTrue(cli.out().contains(" R=200 ") && cli.out().contains("(raw p50"), cli.out());
        }
    }

    @Test
    void aRequestThatHadToWaitIsLateFromTheMomentItWasDue() throws IOException {
        AtomicBoolean stalled = new AtomicBoolean();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (stalled.compareAndSet(false, true)) {
                TestServer.takeTime(HICCUP_NANOS);
            }
            TestServer.answerUuids(request, out, socket);
        })) {
            Cli.run(
                    "uuid",
                    "-c=1",
                    "-R=100",
                    "-n=60",
                    "--warmup=0s",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            CellResult cell = only();
            double hiccupMicros = HICCUP_NANOS / 1000.0;
            assertTrue(
                    cell.times().latency().p50() > hiccupMicros / 10,
                    () -> "those behind the hiccup waited too: " + cell.times().latency());
            assertTrue(
                    cell.times().raw().p50() < cell.times().latency().p50(),
                    () -> "the raw figure does not show it: " + cell.times().raw());
            assertTrue(cell.times().raw().max() >= hiccupMicros);
        }
    }

    @Test
    void aRateThatIsNotReachedIsInvalid() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            TestServer.takeTime(20_000_000L);
            TestServer.answerUuids(request, out, socket);
        })) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=1",
                    "-R=100",
                    "-d=500ms",
                    "--warmup=0s",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.INVALID, cli.code(), cli.out());
            CellResult cell = only();
            assertTrue(cell.verdict().startsWith("invalid: rate not reached ("), cell.verdict());
            assertEquals(due(cell, 100), cell.times().latency().count(), "what waited is in the latencies");
        }
    }

    /** The window lasts as long as so many requests take by the clock, and not until the last client has ended. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aNumberOfRequestsIsSentAtTheRate() throws IOException {
        Arrivals arrivals = new Arrivals();
        long begin = System.nanoTime();
        // One may be late: the one before the last is due two seconds before the end.
        try (TestServer server = new TestServer(arrivals)) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=8",
                    "-R=1",
                    "-n=5",
                    "--warmup=0s",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.out());
            CellResult cell = only();
            assertEquals("at-rate", cell.verdict());
            assertEquals(5, cell.counts().requests());
            assertEquals(5, cell.times().latency().count());
            assertEquals(5, server.requests().size());
            assertEquals(1, cell.requestsPerSecond(), 1e-9);
            // When each is due is PacingTest's. None is late by more than the verdict allows, and none is early.
            assertTrue(arrivals.keepTo(begin, 1), arrivals.nanos::toString);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void answersThatTakeLongDoNotLowerTheRate() throws IOException {
        try (TestServer server = new TestServer(new Overlapping())) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=3",
                    "-R=0.5",
                    "-n=3",
                    "--warmup=300ms",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.out());
            CellResult cell = only();
            assertEquals(3, cell.counts().requests());
            assertEquals(0.5, cell.requestsPerSecond(), 1e-9);
            // One before the window.
            assertEquals(Overlapping.REQUESTS, server.requests().size());
            assertTrue(
                    cell.times().latency().p50() >= 3_000_000,
                    () -> cell.times().toString());
        }
    }

    @Test
    void requestsNotSentByTheEndOfTheDrainAreLost() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            TestServer.takeTime(20_000_000L);
            TestServer.answerUuids(request, out, socket);
        })) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=1",
                    "-R=1000",
                    "-d=300ms",
                    "--drain=200ms",
                    "--warmup=0s",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.INVALID, cli.code(), cli.out());
            CellResult cell = only();
            assertEquals("invalid: " + cell.counts().unsent() + " requests of the rate were not sent", cell.verdict());
            assertEquals(Long.toString(cell.counts().unsent()), Cli.column(folder, "unsent"));
            assertEquals(cell.verdict(), Cli.column(folder, "verdict"));
            assertEquals(
                    due(cell, 1000),
                    cell.counts().requests()
                            + cell.counts().cutOff()
                            + cell.counts().unsent());
            assertEquals(cell.counts().requests(), cell.times().latency().count());
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void requestsDueInTheWarmUpAreSkippedInTheWindow() throws IOException {
        // The rest is so long that the window begins in it, even if it begins late.
        long hiccupNanos = 4_000_000_000L;
        AtomicBoolean stalled = new AtomicBoolean();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (stalled.compareAndSet(false, true)) {
                TestServer.takeTime(hiccupNanos);
            }
            TestServer.answerUuids(request, out, socket);
        })) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=1",
                    "-R=20",
                    "-d=2500ms",
                    "--warmup=2s",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            CellResult cell = only();
            // The verdict is not checked: a busy machine may send two of fifty requests after the window.
            assertEquals(
                    0,
                    cell.errorCount() + cell.counts().unsent() + cell.counts().cutOff(),
                    cli.out() + cli.err());
            assertEquals(
                    (double) due(cell, 20),
                    (double) cell.counts().requests(),
                    1,
                    "where the line met the window's edge");
            assertEquals(cell.counts().requests(), cell.times().latency().count());
            assertEquals(cell.counts().requests() + 1, server.requests().size(), "the first one, and the window's");
            assertTrue(
                    cell.times().latency().max() < hiccupNanos / 1000.0,
                    () -> "from the window alone: " + cell.times());
        }
    }

    @Test
    void requestsDueBeforeTheEndAreSentAndRecordedAfterIt() throws IOException {
        AtomicInteger number = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (number.incrementAndGet() == 99) {
                TestServer.takeTime(HICCUP_NANOS);
            }
            TestServer.answerUuids(request, out, socket);
        })) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=1",
                    "-R=100",
                    "-d=1s",
                    "--warmup=0s",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            CellResult cell = only();
            assertEquals(
                    0,
                    cell.errorCount() + cell.counts().unsent() + cell.counts().cutOff(),
                    cli.out());
            assertEquals(due(cell, 100), cell.times().latency().count());
            assertEquals(due(cell, 100), cell.counts().requests());
            assertEquals(due(cell, 100), server.requests().size(), "no others");
            assertTrue(cell.times().latency().max() >= HICCUP_NANOS / 1000.0, () -> "the hiccup: " + cell.times());
            assertTrue(cell.times().lateness().max() > HICCUP_NANOS / 2000.0, () -> "one behind it: " + cell.times());
        }
    }

    /** The number of requests that are due in a window that begins with the first one. */
    private static long due(CellResult cell, int rate) {
        return (long) Math.ceil(cell.windowSeconds() * rate);
    }

    @Test
    void theClosedModelHasNoRawFigure() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli.run("uuid", "-c=1", "-n=3", "--warmup=0s", "-o", folder.toString(), server.url("/generate-uuid"));
            assertEquals("closed", only().model());
            assertNull(only().times().raw());
            assertNull(only().times().lateness());
        }
    }

    /** Four downloads by two clients, each at 200,000 bytes per second. */
    private Cli throttled(int bytes, String... more) throws IOException {
        byte[] content = TestFiles.content(bytes);
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out,
                "200 OK",
                "application/octet-stream",
                request.target().endsWith(".json") ? TestFiles.catalog("a", content) : content))) {
            List<String> words =
                    new ArrayList<>(List.of("download", "-c=2", "-n=4", "--limit-rate=200000", "--warmup=0s", "-o"));
            words.add(folder.toString());
            words.addAll(List.of(more));
            words.add(server.url("/f/"));
            return Cli.run(words.toArray(String[]::new));
        }
    }

    @Test
    void aThrottledDownloadKeepsItsLine() throws IOException {
        Cli cli = throttled(100_000);
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        CellResult cell = only();
        assertEquals("200000", cell.parameters().get("limit"));
        assertEquals(1, cell.sizes().size());
        assertEquals(4, cell.sizes().get(0).downloads());
        assertTrue(cell.sizes().get(0).speed() <= 0.21, () -> "MB/s: " + cell.sizes());
        assertTrue(
                cell.times().latency().p50() >= 480_000,
                () -> "half a second each: " + cell.times().latency());
        assertNotNull(cell.times().lateness());
    }

    /** It would be late by its last byte, too, and one distribution would tell of two things. */
    @Test
    void aThrottledDownloadByTheClockIsLateByItsBeginning() throws IOException {
        Cli cli = throttled(20_000, "-R=5");
        CellResult cell = only();
        assertEquals(4, cell.counts().requests(), cli.err());
        assertEquals(4, cell.times().lateness().count());
    }

    @Test
    void aSpeedAsTheServerGivesIsNotThrottled() throws IOException {
        byte[] content = TestFiles.content(100_000);
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out,
                "200 OK",
                "application/octet-stream",
                request.target().endsWith(".json") ? TestFiles.catalog("a", content) : content))) {
            Cli cli = Cli.run(
                    "download", "-c=1", "-n=2", "--limit-rate=none,1M", "--warmup=0s", "--dry-run", server.url("/f/"));
            assertEquals("c=1 ka=on a\nc=1 ka=on a limit=1048576\n2 cells\n", cli.out());
        }
    }
}
