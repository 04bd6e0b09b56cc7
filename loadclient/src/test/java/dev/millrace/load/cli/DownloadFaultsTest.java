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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Wrong downloads are detected by comparison with the catalogue. */
class DownloadFaultsTest {

    private static final byte[] CONTENT = TestFiles.content(200_000);

    @TempDir
    private Path folder;

    /** Answers a download of the file; the number counts downloads from 1. */
    private interface Answer {
        void to(int number, OutputStream out) throws IOException;
    }

    private CellResult download(String verify, int expectedCode, Answer answer) throws IOException {
        AtomicInteger number = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (request.target().endsWith("catalog.json")) {
                TestServer.send(out, "200 OK", "application/json", TestFiles.catalog("a.bin", CONTENT));
            } else {
                answer.to(number.incrementAndGet(), out);
            }
        })) {
            Cli cli = Cli.run(
                    "download",
                    "-c=1",
                    "-n=4",
                    "--warmup=0s",
                    "--timeout=10s",
                    "--verify",
                    verify,
                    "-o",
                    folder.toString(),
                    server.url("/files"));
            assertEquals(expectedCode, cli.code(), cli.err());
            return RunFile.read(folder.resolve("run.json")).cells().get(0);
        }
    }

    private static void send(OutputStream out, byte[] content) throws IOException {
        TestServer.send(out, "200 OK", "application/octet-stream", content);
    }

    private static byte[] flipped() {
        byte[] wrong = CONTENT.clone();
        wrong[123_456] ^= 1;
        return wrong;
    }

    @Test
    void rightFilesAreGood() throws IOException {
        CellResult cell = download("auto", ExitCode.GOOD, (number, out) -> send(out, CONTENT));
        assertEquals(4, cell.counts().requests());
        assertEquals(4L * CONTENT.length, cell.counts().bytes());
        assertTrue(cell.valid(), cell.verdict());
        assertEquals(1, cell.counts().connections());
    }

    @Test
    void aWrongByteIsFoundByMd5InTheFirst() throws IOException {
        CellResult cell = download("auto", ExitCode.ERRORS, (number, out) -> send(out, flipped()));
        assertEquals(4, cell.errors().get("wrong digest").count());
        assertTrue(cell.errors().get("wrong digest").first().startsWith("MD5 of a.bin is "));
        assertEquals(0, cell.counts().bytes(), "bytes of wrong downloads do not count");
    }

    @Test
    void aWrongByteIsFoundByCrcLater() throws IOException {
        CellResult cell =
                download("auto", ExitCode.ERRORS, (number, out) -> send(out, number == 3 ? flipped() : CONTENT));
        assertEquals(1, cell.errors().get("wrong digest").count());
        assertTrue(cell.errors().get("wrong digest").first().startsWith("CRC32C of a.bin is "));
        assertEquals(3, cell.counts().requests());
        assertEquals(3L * CONTENT.length, cell.counts().bytes());
    }

    @Test
    void aWrongByteIsFoundByMd5EachTimeWhenAskedFor() throws IOException {
        CellResult cell =
                download("md5", ExitCode.ERRORS, (number, out) -> send(out, number == 3 ? flipped() : CONTENT));
        assertTrue(cell.errors().get("wrong digest").first().startsWith("MD5 of a.bin is "));
    }

    @Test
    void lengthAloneDoesNotSeeAWrongByte() throws IOException {
        CellResult cell = download("length", ExitCode.GOOD, (number, out) -> send(out, flipped()));
        assertEquals(4, cell.counts().requests());
    }

    @Test
    void aShortFileIsFound() throws IOException {
        CellResult cell = download("auto", ExitCode.ERRORS, (number, out) -> {
            out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + CONTENT.length + "\r\n\r\n").getBytes(US_ASCII));
            out.write(CONTENT, 0, 1000);
            out.close();
        });
        assertEquals(Set.of("short body"), cell.errors().keySet());
    }

    @Test
    void aWrongContentLengthIsFound() throws IOException {
        CellResult cell = download("auto", ExitCode.ERRORS, (number, out) -> send(out, new byte[10]));
        assertEquals(
                "Content-Length: 10 for a.bin, the catalogue says 200000",
                cell.errors().get("wrong header").first());
    }

    @Test
    void aBodyOfTwoLengthsIsFound() throws IOException {
        CellResult cell = download(
                "auto", ExitCode.ERRORS, (number, out) -> chunked(out, "Content-Length: " + CONTENT.length + "\r\n"));
        assertEquals(4, cell.errors().get("malformed answer").count());
    }

    private static void chunked(OutputStream out, String field) throws IOException {
        out.write(("HTTP/1.1 200 OK\r\n" + field + "Transfer-Encoding: chunked\r\n\r\n"
                        + Integer.toHexString(CONTENT.length) + "\r\n")
                .getBytes(US_ASCII));
        out.write(CONTENT);
        out.write("\r\n0\r\n\r\n".getBytes(US_ASCII));
    }

    @Test
    void aMissingContentLengthIsFound() throws IOException {
        for (String verify : List.of("auto", "length")) {
            CellResult cell = download(verify, ExitCode.ERRORS, (number, out) -> chunked(out, ""));
            assertEquals(
                    "Content-Length: (none) for a.bin, the catalogue says 200000",
                    cell.errors().get("wrong header").first());
            assertEquals(4, cell.errors().get("wrong header").count());
        }
        assertEquals(
                4,
                download("none", ExitCode.GOOD, (number, out) -> chunked(out, ""))
                        .counts()
                        .requests());
    }

    /** Downloads from a server that fails in the middle of the second body. */
    private CellResult halfway(TestServer.Behaviour second) throws IOException {
        AtomicInteger number = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (request.target().endsWith("catalog.json")) {
                TestServer.send(out, "200 OK", "application/json", TestFiles.catalog("a.bin", CONTENT));
            } else if (number.incrementAndGet() == 2) {
                out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + CONTENT.length + "\r\n\r\n").getBytes(US_ASCII));
                out.write(CONTENT, 0, CONTENT.length / 2);
                second.answer(request, out, socket);
            } else {
                send(out, CONTENT);
            }
        })) {
            Cli cli = Cli.run(
                    "download",
                    "-c=1",
                    "-n=4",
                    "--warmup=0s",
                    "--timeout=2500ms",
                    "-o",
                    folder.toString(),
                    server.url("/files"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            return RunFile.read(folder.resolve("run.json")).cells().get(0);
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aServerThatStallsInMidBodyIsFound() throws IOException {
        CellResult cell = halfway((request, out, socket) -> {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        });
        assertEquals(
                "nothing came for 2500 ms after 100000 body bytes",
                cell.errors().get("timeout").first());
        assertEquals(3, cell.counts().requests(), "the client goes on");
        assertEquals(3L * CONTENT.length, cell.counts().bytes(), "a half does not count");
    }

    @Test
    void aServerThatDiesInMidBodyIsFound() throws IOException {
        TestServer[] self = new TestServer[1];
        AtomicInteger number = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (request.target().endsWith("catalog.json")) {
                TestServer.send(out, "200 OK", "application/json", TestFiles.catalog("a.bin", CONTENT));
                return;
            }
            if (number.incrementAndGet() < 3) {
                send(out, CONTENT);
                return;
            }
            out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + CONTENT.length + "\r\n\r\n").getBytes(US_ASCII));
            out.write(CONTENT, 0, CONTENT.length / 2);
            self[0].close();
        })) {
            self[0] = server;
            Cli cli = Cli.run(
                    "download",
                    "-c=1",
                    "-n=5",
                    "--warmup=0s",
                    "--timeout=5s",
                    "-o",
                    folder.toString(),
                    server.url("/files"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
        }
        CellResult cell = RunFile.read(folder.resolve("run.json")).cells().get(0);
        assertEquals(
                "closed after 100000 of 200000 bytes",
                cell.errors().get("short body").first());
        assertEquals(2, cell.errors().get("connect").count());
        assertEquals(2, cell.counts().requests());
        assertEquals(2L * CONTENT.length, cell.counts().bytes());
    }

    @Test
    void aMissingFileIsFound() throws IOException {
        CellResult cell = download(
                "auto",
                ExitCode.ERRORS,
                (number, out) -> TestServer.send(out, "404 Not Found", "text/plain", new byte[0]));
        assertEquals("status 404 for a.bin", cell.errors().get("status").first());
    }

    @Test
    void aCatalogueThatIsNoneIsOneLine() throws IOException {
        try (TestServer server = new TestServer(
                (request, out, socket) -> TestServer.send(out, "404 Not Found", "text/plain", new byte[0]))) {
            Cli cli = Cli.run("download", server.url("/files/"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertTrue(cli.err().contains("catalog.json: status 404"), cli.err());
            assertEquals(1, cli.err().lines().count());
        }
    }

    @Test
    void aCatalogueThatDoesNotComeIsOneLine() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        })) {
            Cli cli = Cli.run("download", "--timeout=500ms", server.url("/files/"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(
                    "loadclient: cannot read the catalogue " + server.url("/files/catalog.json")
                            + ": nothing came for 500 ms"
                            + "; expected is {\"files\":[{\"name\":\"a.bin\",\"size\":1024,\"md5\":\"...\"}]} (loadclient catalog "
                            + "writes one, --file NAME does without); nor is there a local file catalog.json",
                    cli.err().strip());
        }
    }

    @Test
    void aCatalogueMayBeALocalFileWithSubfolders() throws IOException {
        Path catalog = folder.resolve("files.json");
        Files.write(catalog, TestFiles.catalog("sub dir/a:b.bin", CONTENT));
        try (TestServer server = new TestServer((request, out, socket) -> send(out, CONTENT))) {
            Cli cli = Cli.run(
                    "download", "-c=1", "-n=1", "--warmup=0s", "--catalog", catalog.toString(), server.url("/files"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals("/files/sub%20dir/a:b.bin", server.requests().get(0).target());
        }
    }

    @Test
    void withoutACheckOfBodiesTheStatusCountsStill() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            boolean catalogue = request.target().endsWith("/catalog.json");
            String body = catalogue ? "{\"files\":[{\"name\":\"a\",\"size\":5}]}" : "no such file";
            TestServer.send(out, catalogue ? "200 OK" : "404 Not Found", "text/plain", body.getBytes(US_ASCII));
        })) {
            Cli cli = Cli.run("download", "-q", "-c=1", "-n=3", "--warmup=0s", "--verify=none", server.url("/"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.out() + cli.err());
            assertTrue(cli.err().contains("status x 3 (status 404 for a)"), cli.err());
        }
    }
}
