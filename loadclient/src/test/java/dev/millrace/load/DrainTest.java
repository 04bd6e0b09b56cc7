package dev.millrace.load;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What has not ended when the drain is over is seen. */
class DrainTest {

    private static final byte[] CONTENT = TestFiles.content(200_000);

    @TempDir
    private Path folder;

    private CellResult run(int expectedCode, TestServer server, String command, String... options) throws IOException {
        List<String> args = new ArrayList<>(List.of(command, "-c=2", "--warmup=0s", "--timeout=20s", "-o",
                folder.toString()));
        args.addAll(List.of(options));
        if (!args.contains("-d=2s")) {
            args.add("-d=300ms");
        }
        args.add(server.url("/generate-uuid"));
        Cli cli = Cli.run(args.toArray(String[]::new));
        assertEquals(expectedCode, cli.code(), cli.out() + cli.err());
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    /** Answers the first request never, and all others. */
    private static TestServer hangingOnce() throws IOException {
        AtomicBoolean hanging = new AtomicBoolean();
        return new TestServer((request, out, socket) -> {
            if (hanging.compareAndSet(false, true)) {
                awaitClientsEnd(socket);
            } else {
                TestServer.answerUuids(request, out, socket);
            }
        });
    }

    /** Files whose first download stops after so many bytes. */
    private static TestServer stallingOnce(int after) throws IOException {
        AtomicBoolean stalling = new AtomicBoolean();
        return new TestServer((request, out, socket) -> {
            if (request.target().endsWith(".json")) {
                TestServer.send(out, "200 OK", "application/json", TestFiles.catalog("a", CONTENT));
            } else if (stalling.compareAndSet(false, true)) {
                stall(out, socket, after);
            } else {
                TestServer.send(out, "200 OK", "x/y", CONTENT);
            }
        });
    }

    private static TestServer stallingNever() throws IOException {
        return new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "x/y",
                request.target().endsWith(".json") ? TestFiles.catalog("a", CONTENT) : CONTENT));
    }

    private static void stall(OutputStream out, Socket socket, int after) throws IOException {
        out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + CONTENT.length + "\r\n\r\n").getBytes(US_ASCII));
        out.write(CONTENT, 0, after);
        awaitClientsEnd(socket);
    }

    private static void awaitClientsEnd(Socket socket) throws IOException {
        while (socket.getInputStream().read() >= 0) {
            continue;
        }
    }

    @Test
    void aRequestWithoutAnswerMakesTheCellInvalid() throws IOException {
        try (TestServer server = hangingOnce()) {
            CellResult cell = run(Main.INVALID, server, "uuid", "--drain=500ms");
            assertEquals("invalid: 1 requests unanswered when the drain ended", cell.verdict());
            assertEquals(1, cell.counts().cutOff());
            assertTrue(cell.counts().requests() > 0);
        }
    }

    @Test
    void withoutADrainThereIsNothingToTell() throws IOException {
        try (TestServer server = hangingOnce()) {
            CellResult cell = run(Main.GOOD, server, "uuid", "--drain=0s");
            assertTrue(cell.counts().cutOff() >= 1, cell.counts().toString());
            assertTrue(cell.notes().contains(cell.counts().cutOff() + " requests were unanswered at the end"),
                    cell.notes().toString());
        }
    }

    @Test
    void aNumberOfRequestsIsMeasuredAsItWas() throws IOException {
        try (TestServer server = hangingOnce()) {
            CellResult cell = run(Main.GOOD, server, "uuid", "--drain=500ms", "-n=1000000");
            assertEquals(1, cell.counts().cutOff());
            assertEquals(List.of(), cell.notes().stream().filter(note -> note.contains("unanswered")).toList());
        }
    }

    @Test
    void aDownloadThatStandsStillMakesTheCellInvalid() throws IOException {
        for (int after : new int[] {100_000, 0}) {
            try (TestServer server = stallingOnce(after)) {
                CellResult cell = run(Main.INVALID, server, "download", "--drain=500ms");
                assertEquals("invalid: 1 downloads stalled", cell.verdict());
                assertEquals(1, cell.counts().stalled());
                assertEquals(0, cell.counts().cutOff());
                assertEquals("1", Cli.column(folder, "stalled"));
                assertEquals("0", Cli.column(folder, "cut_off"));
            }
        }
    }

    @Test
    void aWindowInWhichNoDownloadEndsIsInvalid() throws IOException {
        try (TestServer server = stallingNever()) {
            CellResult cell = run(Main.INVALID, server, "download", "--drain=200ms", "--limit-rate=40000");
            assertEquals("invalid: no download ended in the window", cell.verdict());
            assertTrue(cell.counts().bytes() > 0);
            String line = Files.readString(folder.resolve("cells.txt"));
            assertTrue(line.contains(" | p50      - p99      - ms | err 0 "), line);
            assertEquals("", Cli.column(folder, "latency_p50_us"));
            String page = Files.readString(folder.resolve("report.html"));
            assertFalse(page.contains("Latency, median") || page.contains("Latency by percentile"), page);
        }
    }

    @Test
    void aDownloadThatGoesOnIsNotedAndItsBytesCount() throws IOException {
        try (TestServer server = stallingNever()) {
            CellResult cell = run(Main.GOOD, server, "download", "-d=2s", "--drain=800ms", "--limit-rate=120000");
            assertEquals(2, cell.counts().cutOff());
            assertEquals(2, cell.counts().requests());
            assertEquals(0, cell.counts().stalled());
            assertTrue(cell.counts().bytes() > 0);
            assertTrue(cell.notes().contains("2 downloads were still going on at the end: their bytes count, their "
                    + "content is not checked"), cell.notes().toString());
        }
    }
}
