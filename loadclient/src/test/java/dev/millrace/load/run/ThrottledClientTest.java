package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import dev.millrace.load.run.RunSettings.Limits;
import dev.millrace.load.run.RunSettings.Warmup;
import dev.millrace.load.scenario.CatalogFile;
import dev.millrace.load.scenario.DownloadWorkload;
import dev.millrace.load.scenario.Verify;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients with a limited rate. */
class ThrottledClientTest {

    private static RunSettings settings(int receiveBufferBytes) {
        return new RunSettings(
                Warmup.of(Duration.ZERO),
                Duration.ofSeconds(20),
                1,
                Duration.ofSeconds(20),
                Duration.ofSeconds(20),
                Duration.ZERO,
                1,
                receiveBufferBytes,
                100_000,
                List.of(),
                TlsSettings.ofJdk(),
                Limits.NONE);
    }

    /** Answers every request with the same number of bytes. */
    private static TestServer server(int bytes) throws IOException {
        return new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "x/y", new byte[bytes]));
    }

    private static Cell cell(String url, long limitRate) {
        return new Cell(
                "",
                1,
                0,
                limitRate,
                new DownloadWorkload(
                        Target.of(url), "a", List.of(new CatalogFile("a", 1, "")), true, Verify.NONE, 1, List.of()));
    }

    @Test
    void aLargeFileIsDueAtTheSameRateToItsEnd() {
        Throttle throttle = new Throttle(1_000_000_000);
        throttle.start();
        for (int i = 0; i < 20; i++) {
            throttle.received(1_000_000_000, 0);
        }
        assertEquals(TimeUnit.SECONDS.toNanos(20), throttle.dueNanos());
    }

    @Test
    void onlyThrottledClientsHaveASmallReceiveBuffer() {
        Cell free = cell("http://127.0.0.1:9/", 0);
        Cell throttled = cell("http://127.0.0.1:9/", 1000);
        assertEquals(0, CellRun.sockets(free, 0, settings(0)).receiveBufferBytes());
        assertEquals(65_536, CellRun.sockets(throttled, 0, settings(0)).receiveBufferBytes());
        assertEquals(8192, CellRun.sockets(free, 0, settings(8192)).receiveBufferBytes());
        assertEquals(8192, CellRun.sockets(throttled, 0, settings(8192)).receiveBufferBytes());
    }

    private static Client client(Cell cell, CellClock clock, Recording recording) {
        return new Client(cell, 0, settings(0), clock, CellRun.sockets(cell, 0, settings(0)), recording);
    }

    @Test
    void aClientsOwnWaitIsNoTimeoutAndEndsWithTheDrain() throws Exception {
        CellClock clock = new CellClock(0);
        try (TestServer server = server(150_000)) {
            // At one byte per second, the bytes that were read are due in many minutes.
            Client client = client(cell(server.url("/"), 1), clock, new Recording());
            Thread thread = new Thread(client, "client");
            thread.setDaemon(true);
            clock.openWindow(System.nanoTime());
            clock.start(System.nanoTime());
            thread.start();
            while (clock.bytes.sum() == 0 || thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            client.deadline().check(System.nanoTime() + TimeUnit.SECONDS.toNanos(200), false);
            assertTrue(client.deadline().clear(), "not aborted");
            clock.closeWindow(System.nanoTime());
            clock.endDrain(false);
            thread.join(TimeUnit.SECONDS.toMillis(20));
            assertFalse(thread.isAlive(), "waits for nothing any more");
        }
    }

    @Test
    void anEmptyFileIsNeverLate() throws Exception {
        try (TestServer server = server(0)) {
            CellClock clock = new CellClock(3);
            Recording recording = new Recording();
            clock.openWindow(System.nanoTime());
            clock.start(System.nanoTime());
            client(cell(server.url("/"), 1000), clock, recording).run();
            assertEquals(3, clock.requests.sum());
            assertNull(recording.times().lateness());
        }
    }
}
