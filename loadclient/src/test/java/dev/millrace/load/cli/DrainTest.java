package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exchanges that have not ended with the drain are counted and reported. */
@Execution(ExecutionMode.CONCURRENT)
class DrainTest {

    private static final byte[] CONTENT = TestFiles.content(200_000);
    /** A drain that is longer than any pause of the machine. */
    private static final String LONG_DRAIN = "--drain=2500ms";
    /** A window that is long enough for all exchanges to begin in it. */
    private static final String LONG_WINDOW = "-d=2500ms";

    @TempDir
    private Path folder;

    private CellResult run(int expectedCode, TestServer server, String command, String... options) throws IOException {
        List<String> args = new ArrayList<>(List.of(command, "--warmup=0s", "--timeout=20s", "-o", folder.toString()));
        args.addAll(List.of(options));
        if (args.stream().noneMatch(arg -> arg.startsWith("-c="))) {
            args.add("-c=2");
        }
        if (!args.contains(LONG_WINDOW)) {
            args.add("-d=300ms");
        }
        args.add(server.url("/generate-uuid"));
        Cli cli = Cli.run(args.toArray(String[]::new));
        assertEquals(expectedCode, cli.code(), cli.out() + cli.err());
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    /** Leaves the first request without an answer, and answers all others. */
    private static TestServer hangingOnce() throws IOException {
        AtomicBoolean hanging = new AtomicBoolean();
        return new TestServer(TestServer.unhurried((request, out, socket) -> {
            if (hanging.compareAndSet(false, true)) {
                awaitClientsEnd(socket);
            } else {
                TestServer.answerUuids(request, out, socket);
            }
        }));
    }

    /** Serves files. The first downloads stop after some bytes. */
    private static TestServer stallingFirst(int... after) throws IOException {
        AtomicInteger number = new AtomicInteger();
        return new TestServer((request, out, socket) -> {
            if (request.target().endsWith(".json")) {
                TestServer.send(out, "200 OK", "application/json", TestFiles.catalog("a", CONTENT));
                return;
            }
            int download = number.getAndIncrement();
            if (download < after.length) {
                begin(out, after[download]);
                awaitClientsEnd(socket);
            } else {
                TestServer.send(out, "200 OK", "x/y", CONTENT);
            }
        });
    }

    /** Serves each connection a first file at full speed, and a second one that never ends. */
    private static TestServer goingOn() throws IOException {
        Set<Socket> served = ConcurrentHashMap.newKeySet();
        return new TestServer((request, out, socket) -> {
            if (request.target().endsWith(".json")) {
                TestServer.send(out, "200 OK", "application/json", TestFiles.catalog("a", CONTENT));
            } else if (served.add(socket)) {
                TestServer.send(out, "200 OK", "x/y", CONTENT);
            } else {
                begin(out, 0);
                for (int sent = 0; sent < CONTENT.length; sent += 100) {
                    out.write(CONTENT, sent, 100);
                    LockSupport.parkNanos(50_000_000L);
                }
            }
        });
    }

    private static TestServer stallingNever() throws IOException {
        return new TestServer((request, out, socket) -> TestServer.send(
                out, "200 OK", "x/y", request.target().endsWith(".json") ? TestFiles.catalog("a", CONTENT) : CONTENT));
    }

    private static void begin(OutputStream out, int bytes) throws IOException {
        out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + CONTENT.length + "\r\n\r\n").getBytes(US_ASCII));
        out.write(CONTENT, 0, bytes);
    }

    private static void awaitClientsEnd(Socket socket) throws IOException {
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    }

    @Test
    void aRequestWithoutAnswerMakesTheCellInvalid() throws IOException {
        try (TestServer server = hangingOnce()) {
            CellResult cell = run(ExitCode.INVALID, server, "uuid", LONG_DRAIN);
            assertEquals("invalid: 1 requests unanswered when the drain ended", cell.verdict());
            assertEquals(1, cell.counts().cutOff());
            assertTrue(cell.counts().requests() > 0);
        }
    }

    /** A client that waits sends nothing, so that what it waits for at the end is the longest of all. */
    @ParameterizedTest
    @ValueSource(strings = {"-n=0", "-n=1000"})
    void theLongestLatenciesAreThoseThatTheWindowDoesNotSeeTheEndOf(String number) throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (asked.incrementAndGet() > 10) {
                // Beyond the window, also when that ends late.
                TestServer.takeTime(6_000_000_000L);
            }
            TestServer.answerUuids(request, out, socket);
        })) {
            CellResult cell = run(ExitCode.GOOD, server, "uuid", LONG_WINDOW, "--drain=10s", number);
            assertEquals(10, cell.counts().requests(), "the rate counts answers in the window alone");
            assertEquals(12, cell.times().latency().count());
            assertEquals(12, cell.latencies().getTotalCount());
            assertTrue(cell.times().latency().max() >= 6_000_000, cell.times().toString());
        }
    }

    @Test
    void withoutADrainUnfinishedExchangesAreOnlyNoted() throws IOException {
        try (TestServer server = hangingOnce()) {
            CellResult cell = run(ExitCode.GOOD, server, "uuid", "--drain=0s");
            assertTrue(cell.counts().cutOff() >= 1, cell.counts().toString());
            assertTrue(
                    cell.notes().contains(cell.counts().cutOff() + " requests were unanswered at the end"),
                    cell.notes().toString());
        }
    }

    /** What ends its window is the length: a number that is reached leaves nothing under way. */
    @Test
    void aNumberOfRequestsThatIsNotReachedExcusesNothing() throws IOException {
        try (TestServer server = hangingOnce()) {
            CellResult cell = run(ExitCode.INVALID, server, "uuid", LONG_DRAIN, "-n=1000000");
            assertEquals("invalid: 1 requests unanswered when the drain ended", cell.verdict());
            assertEquals(1, cell.counts().cutOff());
        }
        try (TestServer server = hangingOnce()) {
            CellResult cell = run(ExitCode.GOOD, server, "uuid", "--drain=0s", "-n=1000000");
            assertTrue(cell.counts().cutOff() >= 1, cell.counts().toString());
            assertTrue(
                    cell.notes().contains(cell.counts().cutOff() + " requests were unanswered at the end"),
                    cell.notes().toString());
        }
    }

    @Test
    void aDownloadThatStandsStillMakesTheCellInvalid() throws IOException {
        try (TestServer server = stallingFirst(100_000, 0)) {
            CellResult cell = run(ExitCode.INVALID, server, "download", "-c=3", LONG_WINDOW, LONG_DRAIN);
            assertEquals("invalid: 2 downloads stalled", cell.verdict());
            assertEquals(2, cell.counts().stalled());
            assertEquals(0, cell.counts().cutOff());
            assertEquals("2", Cli.column(folder, "stalled"));
            assertEquals("0", Cli.column(folder, "cut_off"));
            assertTrue(cell.counts().requests() > 0, "the third client's");
        }
    }

    @Test
    void aWindowInWhichNoDownloadEndsIsInvalid() throws IOException {
        try (TestServer server = stallingNever()) {
            CellResult cell = run(ExitCode.INVALID, server, "download", LONG_DRAIN, "--limit-rate=20000");
            assertEquals("invalid: no download ended in the window", cell.verdict());
            assertTrue(cell.counts().bytes() > 0);
            String line = Files.readString(folder.resolve("cells.txt"));
            assertTrue(line.contains(" | p50      - p99      - ms | err 0 "), line);
            assertEquals("", Cli.column(folder, "latency_p50_us"));
            String page = Files.readString(folder.resolve("report.html"));
            assertFalse(page.contains("Latency, median") || page.contains("Latency by percentile"), page);
        }
    }

    /** Each client sleeps for 50 ms of its own when the drain ends, so that most of 40 wake before the watchdog acts. */
    @Test
    void noDownloadComesFasterBecauseTheDrainEnds() throws IOException {
        try (TestServer server = stallingNever()) {
            CellResult cell =
                    run(ExitCode.INVALID, server, "download", "-c=40", LONG_WINDOW, LONG_DRAIN, "--limit-rate=20000");
            assertEquals(40, cell.counts().cutOff(), cell.counts().toString());
            assertEquals(0, cell.times().latency().count());
        }
    }

    @Test
    void aDownloadThatGoesOnIsNotedAndItsBytesCount() throws IOException {
        try (TestServer server = goingOn()) {
            CellResult cell = run(ExitCode.GOOD, server, "download", LONG_WINDOW, LONG_DRAIN, "--limit-rate=1200000");
            assertEquals(2, cell.counts().cutOff());
            assertEquals(2, cell.counts().requests());
            assertEquals(0, cell.counts().stalled());
            assertTrue(cell.counts().bytes() > 0);
            assertTrue(
                    cell.notes()
                            .contains("2 downloads were still going on at the end: their bytes count, their "
                                    + "content is not checked"),
                    cell.notes().toString());
        }
    }
}
