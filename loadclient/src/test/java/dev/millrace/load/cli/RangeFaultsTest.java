package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Wrong answers to range requests and to resumed downloads are detected. */
class RangeFaultsTest {

    private static final byte[] CONTENT = TestFiles.content(700_000);
    private static final String TAG = "\"v1\"";

    /** Serves whole downloads. */
    private final AtomicInteger wholes = new AtomicInteger();

    @TempDir
    private Path folder;

    /** Sends one part, both ends included. The number counts parts from 1. */
    private interface Part {
        void send(int number, int first, int last, OutputStream out) throws IOException;
    }

    private CellResult download(int expectedCode, List<String> options, Part part) throws IOException {
        AtomicInteger number = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (request.target().endsWith("catalog.json")) {
                TestServer.send(out, "200 OK", "application/json", TestFiles.catalog("a.bin", CONTENT));
                return;
            }
            int[] range = range(request);
            try {
                if (range == null) {
                    wholes.incrementAndGet();
                    whole(out);
                } else {
                    part.send(number.incrementAndGet(), range[0], range[1], out);
                }
            } catch (SocketException e) {
                // The client breaks this download off.
                socket.close();
            }
        })) {
            List<String> args = new ArrayList<>(List.of(
                    "download",
                    "-c=1",
                    "-n=4",
                    "--warmup=0s",
                    "--timeout=20s",
                    "-o",
                    folder.toString(),
                    server.url("/files")));
            args.addAll(options);
            Cli cli = Cli.run(args.toArray(String[]::new));
            assertEquals(expectedCode, cli.code(), cli.err());
            return RunFile.read(folder.resolve("run.json")).cells().get(0);
        }
    }

    private CellResult ranges(int expectedCode, Part part) throws IOException {
        return download(expectedCode, List.of("--range=10k"), part);
    }

    private CellResult resumed(int expectedCode, Part part) throws IOException {
        return download(expectedCode, List.of("--resume", "--rcvbuf=16k"), part);
    }

    private static String contentRange(int first, int last) {
        return "Content-Range: bytes " + first + "-" + last + "/" + CONTENT.length + "\r\n";
    }

    private static int[] range(TestServer.Request request) {
        for (String line : request.head()) {
            if (line.startsWith("Range: bytes=")) {
                String[] ends = line.substring(13).split("-", -1);
                int last = ends[1].isEmpty() || ends[0].isEmpty() ? CONTENT.length - 1 : Integer.parseInt(ends[1]);
                int first = ends[0].isEmpty() ? CONTENT.length - Integer.parseInt(ends[1]) : Integer.parseInt(ends[0]);
                return new int[] {first, last};
            }
        }
        return null;
    }

    private static void whole(OutputStream out) throws IOException {
        head(out, "200 OK", "", TAG, CONTENT.length);
        out.write(CONTENT);
    }

    private static void head(OutputStream out, String status, String range, String tag, int length) throws IOException {
        out.write(
                ("HTTP/1.1 " + status + "\r\n" + range + "ETag: " + tag + "\r\nContent-Length: " + length + "\r\n\r\n")
                        .getBytes(US_ASCII));
    }

    private static void right(OutputStream out, int first, int last) throws IOException {
        send(out, first, last, TAG, Arrays.copyOfRange(CONTENT, first, last + 1));
    }

    private static void send(OutputStream out, int first, int last, String tag, byte[] content) throws IOException {
        head(out, "206 Partial Content", contentRange(first, last), tag, content.length);
        out.write(content);
    }

    @Test
    void rightRangesAreGood() throws IOException {
        CellResult cell = ranges(ExitCode.GOOD, (number, first, last, out) -> {
            assertTrue(first >= 0 && last - first < 10_240, first + "-" + last);
            right(out, first, last);
        });
        assertEquals(4, cell.counts().requests());
        assertTrue(cell.counts().bytes() > 0 && cell.counts().bytes() <= 4 * 10_240);
    }

    @Test
    void aFileIsLearnedOnceForAllCells() throws IOException {
        download(
                ExitCode.GOOD,
                List.of("--range=10k", "--keepalive=on,off", "--limit-rate=none,100M"),
                (number, first, last, out) -> right(out, first, last));
        assertEquals(1, wholes.get());
    }

    @Test
    void aWrongByteInARangeIsFound() throws IOException {
        CellResult cell = ranges(ExitCode.ERRORS, (number, first, last, out) -> {
            byte[] content = Arrays.copyOfRange(CONTENT, first, last + 1);
            content[content.length - 1] ^= number == 3 ? (byte) 1 : 0;
            send(out, first, last, TAG, content);
        });
        assertEquals(1, cell.errors().get("wrong digest").count());
        assertTrue(cell.errors().get("wrong digest").first().startsWith("other bytes than the file's in bytes "));
    }

    @Test
    void theBytesOfAnotherPlaceAreFound() throws IOException {
        CellResult cell = ranges(
                ExitCode.ERRORS,
                (number, first, last, out) ->
                        send(out, first, last, TAG, Arrays.copyOfRange(CONTENT, 0, last - first + 1)));
        assertEquals(Set.of("wrong digest"), cell.errors().keySet());
    }

    @Test
    void theWholeFileInPlaceOfARangeIsFound() throws IOException {
        CellResult cell = ranges(ExitCode.ERRORS, (number, first, last, out) -> whole(out));
        assertTrue(cell.errors().get("status").first().startsWith("status 200 for bytes "));
    }

    @Test
    void aRangeThatIsNotTheOneAskedForIsFound() throws IOException {
        CellResult cell =
                ranges(ExitCode.ERRORS, (number, first, last, out) -> right(out, Math.max(0, first - 1), last));
        assertTrue(cell.errors().get("wrong header").first().startsWith("Content-Range: bytes "));
    }

    @Test
    void aShortRangeIsFound() throws IOException {
        CellResult cell = ranges(ExitCode.ERRORS, (number, first, last, out) -> {
            head(out, "206 Partial Content", contentRange(first, last), TAG, last - first + 1);
            out.write(CONTENT, first, (last - first) / 2);
            out.close();
        });
        assertEquals(Set.of("short body"), cell.errors().keySet());
    }

    @Test
    void aFileThatDiffersFromTheCatalogueIsNoReference() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out,
                "200 OK",
                "x/y",
                request.target().endsWith("json") ? TestFiles.catalog("a.bin", CONTENT) : new byte[CONTENT.length]))) {
            Cli cli = Cli.run("download", "--range=any", server.url("/files"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertTrue(cli.err().startsWith("loadclient: cannot learn what a.bin holds: MD5 of a.bin is "), cli.err());
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aServerThatStallsBeforeTheMeasurementIsOneLine() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (request.target().endsWith("catalog.json")) {
                TestServer.send(out, "200 OK", "x/y", TestFiles.catalog("a.bin", CONTENT));
                return;
            }
            head(out, "200 OK", "", TAG, CONTENT.length);
            out.write(CONTENT, 0, CONTENT.length / 2);
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        })) {
            Cli cli = Cli.run("download", "--range=10k", "--timeout=2500ms", server.url("/files"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(
                    "loadclient: cannot learn what a.bin holds: nothing came for 2500 ms",
                    cli.err().strip());
        }
    }

    @Test
    void brokenOffDownloadsAreResumed() throws IOException {
        AtomicInteger parts = new AtomicInteger();
        CellResult cell = resumed(ExitCode.GOOD, (number, first, last, out) -> {
            parts.set(number);
            right(out, first, last);
        });
        assertEquals(4, cell.counts().requests(), "whole downloads alone count");
        assertTrue(parts.get() >= 2, parts + " of 4 were broken off");
        assertTrue(cell.counts().connections() > 2, "each goes on on a new connection");
    }

    @Test
    void aRestThatDoesNotFitIsFound() throws IOException {
        CellResult cell = resumed(ExitCode.ERRORS, (number, first, last, out) -> {
            byte[] content = Arrays.copyOfRange(CONTENT, first, last + 1);
            content[0] ^= 1;
            send(out, first, last, TAG, content);
        });
        assertTrue(cell.errors().get("wrong digest").first().contains(" of a.bin is "));
    }

    @Test
    void aRestOfAnotherVersionIsFound() throws IOException {
        CellResult cell = resumed(
                ExitCode.ERRORS,
                (number, first, last, out) ->
                        send(out, first, last, "\"v2\"", Arrays.copyOfRange(CONTENT, first, last + 1)));
        assertEquals(
                "the rest of a.bin is of \"v2\", what came before of \"v1\"",
                cell.errors().get("wrong header").first());
    }

    @Test
    void surplusBytesAfterTheRestAreFound() throws IOException {
        CellResult cell = resumed(ExitCode.ERRORS, (number, first, last, out) -> {
            out.write(("HTTP/1.1 206 Partial Content\r\n" + contentRange(first, last) + "ETag: " + TAG
                            + "\r\nTransfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(last - first + 1) + "\r\n")
                    .getBytes(US_ASCII));
            out.write(CONTENT, first, last - first + 1);
            out.write("\r\n2\r\nxx\r\n0\r\n\r\n".getBytes(US_ASCII));
        });
        assertEquals(
                "2 surplus bytes after a.bin",
                cell.errors().get("wrong content").first());
    }

    @Test
    void aHeaderThatIsMissingInTheFirstPartIsMissing() throws IOException {
        CellResult cell = download(
                ExitCode.ERRORS,
                List.of("--resume", "--rcvbuf=16k", "--expect-header=Accept-Ranges=bytes"),
                (number, first, last, out) -> {
                    head(
                            out,
                            "206 Partial Content",
                            "Accept-Ranges: bytes\r\n" + contentRange(first, last),
                            TAG,
                            last - first + 1);
                    out.write(CONTENT, first, last - first + 1);
                });
        assertEquals(
                "Accept-Ranges: (none), expected bytes",
                cell.errors().get("wrong header").first());
        assertEquals(4, cell.errors().get("wrong header").count());
        assertEquals(0, cell.counts().requests());
    }

    @Test
    void theWholeFileInPlaceOfTheRestIsFound() throws IOException {
        CellResult cell = resumed(ExitCode.ERRORS, (number, first, last, out) -> whole(out));
        assertTrue(cell.errors().get("status").first().startsWith("status 200 for bytes "));
    }

    @Test
    void theRestIsAskedForWithTheStrongTag() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            int[] range = range(request);
            if (request.target().endsWith("json")) {
                TestServer.send(out, "200 OK", "x/y", TestFiles.catalog("a.bin", CONTENT));
            } else if (range == null) {
                send(socket);
            } else {
                boolean asked = request.head().contains("If-Range: " + TAG);
                if (asked) {
                    right(out, range[0], range[1]);
                } else {
                    whole(out);
                }
            }
        })) {
            Cli cli = Cli.run(
                    "download", "--resume", "-c=1", "-n=3", "--warmup=0s", "--rcvbuf=16k", server.url("/files"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        }
    }

    private static void send(Socket socket) throws IOException {
        try {
            whole(socket.getOutputStream());
        } catch (SocketException e) {
            // The client broke this download off.
            socket.close();
        }
    }
}
