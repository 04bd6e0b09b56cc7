package dev.millrace.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests sent by the clock, and downloads held back by it. */
class OpenModelTest {

    private static final long HICCUP_NANOS = 400_000_000L;

    @TempDir
    private Path folder;

    private CellResult only() throws IOException {
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    @Test
    void theRateIsKeptAndNamed() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run("uuid", "-c=4", "-R=200", "-d=1s", "--warmup=100ms", "-o", folder.toString(),
                    server.url("/generate-uuid"));
            CellResult cell = only();
            assertEquals("open", cell.model());
            assertEquals("200", cell.parameters().get("rate"));
            assertNotNull(cell.times().lateness());
            assertTrue(cell.requestsPerSecond() < 230, () -> "never much above: " + cell.requestsPerSecond());
            assertTrue(cli.out().contains(" R=200 ") && cli.out().contains("(raw p50"), cli.out());
        }
    }

    @Test
    void aRequestThatHadToWaitIsLateFromTheMomentItWasDue() throws IOException {
        AtomicBoolean stalled = new AtomicBoolean();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (stalled.compareAndSet(false, true)) {
                awaitNanos(HICCUP_NANOS);
            }
            TestServer.answerUuids(request, out, socket);
        })) {
            Cli.run("uuid", "-c=1", "-R=100", "-n=60", "--warmup=0s", "-o", folder.toString(),
                    server.url("/generate-uuid"));
            CellResult cell = only();
            double hiccupMicros = HICCUP_NANOS / 1000.0;
            assertTrue(cell.times().latency().p50() > hiccupMicros / 10,
                    () -> "those behind the hiccup waited too: " + cell.times().latency());
            assertTrue(cell.times().raw().p50() < cell.times().latency().p50(),
                    () -> "the raw figure does not show it: " + cell.times().raw());
            assertTrue(cell.times().raw().max() >= hiccupMicros);
        }
    }

    @Test
    void aRateThatIsNotReachedIsInvalid() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            awaitNanos(20_000_000L);
            TestServer.answerUuids(request, out, socket);
        })) {
            Cli cli = Cli.run("uuid", "-c=1", "-R=1000", "-d=500ms", "--warmup=0s", "-o", folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(Main.INVALID, cli.code(), cli.out());
            assertTrue(only().verdict().startsWith("invalid: rate not reached ("), only().verdict());
        }
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

    @Test
    void aThrottledDownloadKeepsItsLine() throws IOException {
        byte[] content = TestFiles.content(100_000);
        try (TestServer server = new TestServer((request, out, socket) ->
                TestServer.send(out, "200 OK", "application/octet-stream", request.target().endsWith(".json")
                        ? TestFiles.catalog("a", content) : content))) {
            Cli cli = Cli.run("download", "-c=2", "-n=4", "--limit-rate=200000", "--warmup=0s", "-o", folder.toString(),
                    server.url("/f/"));
            assertEquals(Main.GOOD, cli.code(), cli.err());
            CellResult cell = only();
            assertEquals("200000", cell.parameters().get("limit"));
            assertEquals(1, cell.sizes().size());
            assertEquals(4, cell.sizes().get(0).downloads());
            assertTrue(cell.sizes().get(0).speed() <= 0.21, () -> "MB/s: " + cell.sizes());
            assertTrue(cell.times().latency().p50() >= 480_000, () -> "half a second each: " + cell.times().latency());
            assertNotNull(cell.times().lateness());
        }
    }

    @Test
    void aSpeedAsTheServerGivesIsNotThrottled() throws IOException {
        byte[] content = TestFiles.content(100_000);
        try (TestServer server = new TestServer((request, out, socket) ->
                TestServer.send(out, "200 OK", "application/octet-stream", request.target().endsWith(".json")
                        ? TestFiles.catalog("a", content) : content))) {
            Cli cli = Cli.run("download", "-c=1", "-n=2", "--limit-rate=none,1M", "--warmup=0s", "--dry-run",
                    server.url("/f/"));
            assertEquals("c=1 ka=on a\nc=1 ka=on a limit=1048576\n2 cells\n", cli.out());
        }
    }

    private static void awaitNanos(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }
}
