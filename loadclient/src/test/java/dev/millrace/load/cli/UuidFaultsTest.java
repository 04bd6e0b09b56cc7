package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each wrong answer of a UUID server is counted by its kind, and decides the exit code. */
class UuidFaultsTest {

    @TempDir
    private Path folder;

    static Stream<Arguments> faults() {
        return Stream.of(
                fault(
                        "status",
                        "status 503: busy",
                        (request, out, socket) -> TestServer.send(
                                out, "503 Service Unavailable", "text/plain", "busy".getBytes(US_ASCII))),
                fault(
                        "wrong content",
                        "root element <error>: no such method",
                        (request, out, socket) -> TestServer.send(
                                out,
                                "200 OK",
                                "text/xml",
                                "<error><msg>no such method</msg></error>".getBytes(US_ASCII))),
                fault(
                        "wrong content",
                        "expected 3 UUIDs, got 2",
                        (request, out, socket) -> TestServer.send(out, "200 OK", "text/xml", TestServer.uuids(2))),
                fault(
                        "wrong content",
                        "1 UUIDs malformed",
                        (request, out, socket) -> TestServer.send(
                                out,
                                "200 OK",
                                "text/xml",
                                new String(TestServer.uuids(3), US_ASCII)
                                        .replaceFirst("6ba7b810", "6ba7b81x")
                                        .getBytes(US_ASCII))),
                fault(
                        "wrong content",
                        "text outside the UUIDs: oops",
                        (request, out, socket) -> TestServer.send(
                                out,
                                "200 OK",
                                "text/xml",
                                (new String(TestServer.uuids(3), US_ASCII) + "oops").getBytes(US_ASCII))),
                fault(
                        "wrong content",
                        "root element not closed",
                        (request, out, socket) -> TestServer.send(
                                out,
                                "200 OK",
                                "text/xml",
                                new String(TestServer.uuids(3), US_ASCII)
                                        .replace("</response>", "")
                                        .getBytes(US_ASCII))),
                fault(
                        "wrong content",
                        "no element in the answer",
                        (request, out, socket) -> TestServer.send(out, "200 OK", "text/xml", new byte[0])),
                fault(
                        "wrong header",
                        "Content-Type: text/html where XML was expected",
                        (request, out, socket) -> TestServer.send(out, "200 OK", "text/html", TestServer.uuids(3))),
                fault("short body", "closed after 10 of 100 bytes", UuidFaultsTest::cutBody),
                fault("short body", "closed after 10 of 32 bytes", UuidFaultsTest::cutChunk),
                fault("timeout", "no whole answer within 2500 ms, 40 body bytes came", UuidFaultsTest::stall),
                fault("reset", "reset", UuidFaultsTest::reset),
                fault("reset", "closed before the answer", (request, out, socket) -> socket.close()),
                fault(
                        "malformed answer",
                        "",
                        (request, out, socket) -> out.write("HELLO WORLD\r\n\r\n".getBytes(US_ASCII))));
    }

    private static Arguments fault(String kind, String detail, TestServer.Behaviour behaviour) {
        return Arguments.of(kind, detail, behaviour);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("faults")
    @Execution(ExecutionMode.CONCURRENT)
    void wrongAnswersAreCountedByKind(String kind, String detail, TestServer.Behaviour behaviour) throws IOException {
        // The timeout is long in the other cases, because a pause of the machine must not cause it.
        String timeout = kind.equals("timeout") ? "2500ms" : "10s";
        // Two clients wait at the same time.
        int clients = kind.equals("timeout") ? 2 : 1;
        try (TestServer server = new TestServer(behaviour)) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=" + clients,
                    "-n=2",
                    "--count=3",
                    "--warmup=0s",
                    "--timeout=" + timeout,
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            CellResult cell = RunFile.read(folder.resolve("run.json")).cells().get(0);
            assertEquals(java.util.Set.of(kind), cell.errors().keySet());
            assertEquals(2, cell.errors().get(kind).count());
            assertTrue(
                    cell.errors().get(kind).first().contains(detail),
                    cell.errors().get(kind).first());
            assertEquals(0, cell.counts().requests());
            assertEquals(ExitCode.ERRORS, cli.code());
            assertTrue(cli.out().contains("err 2"), cli.out());
            assertTrue(cli.err().contains(kind + " x 2"), cli.err());
        }
    }

    @Test
    void aServerThatWritesEachAnswerTwiceIsFound() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            ByteArrayOutputStream twice = new ByteArrayOutputStream();
            TestServer.answerUuids(request, twice, socket);
            TestServer.answerUuids(request, twice, socket);
            out.write(twice.toByteArray());
        })) {
            Cli cli = Cli.run(
                    "uuid", "-c=1", "-n=4", "--warmup=0s", "-o", folder.toString(), server.url("/generate-uuid"));
            CellResult cell = RunFile.read(folder.resolve("run.json")).cells().get(0);
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(2, cell.counts().requests(), "one on each connection");
            assertEquals(2, cell.counts().connections());
            assertEquals(2, cell.errors().get("wrong content").count());
            assertTrue(cli.err().contains(" surplus bytes after the answer before)"), cli.err());
        }
    }

    @Test
    void aServerThatIgnoresConnectionCloseIsFound() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            TestServer.answerUuids(request, out, socket);
            awaitClientsEnd(socket);
        })) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=1",
                    "-n=1",
                    "--keepalive=off",
                    "--warmup=0s",
                    "--timeout=300ms",
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertTrue(cli.err().contains("timeout x 1"), cli.err());
        }
    }

    @Test
    void aServerThatIsNotThereIsOneLine() throws IOException {
        String url;
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            url = server.url("/generate-uuid");
        }
        Cli cli = Cli.run("uuid", url);
        assertEquals(ExitCode.ERRORS, cli.code());
        assertEquals(1, cli.err().lines().count(), cli.err());
        assertTrue(cli.err().contains("cannot connect to"), cli.err());
    }

    @Test
    void aServerThatDiesIsNamed() throws IOException {
        TestServer[] self = new TestServer[1];
        try (TestServer server = new TestServer((request, out, socket) -> self[0].close())) {
            self[0] = server;
            Cli cli = Cli.run("uuid", "-c=1", "-n=3", "--warmup=0s", "--timeout=20s", server.url("/generate-uuid"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertTrue(cli.err().contains("connect x 2"), cli.err());
        }
    }

    private static void cutBody(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
        out.write(("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 100\r\n\r\n" + "<response>")
                .getBytes(US_ASCII));
        socket.close();
    }

    private static void cutChunk(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
        out.write(
                ("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n" + "20\r\n<response>")
                        .getBytes(US_ASCII));
        socket.close();
    }

    private static void stall(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
        byte[] right = TestServer.uuids(3);
        out.write(("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: " + right.length + "\r\n\r\n")
                .getBytes(US_ASCII));
        out.write(right, 0, 40);
        awaitClientsEnd(socket);
    }

    private static void reset(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
        // With a linger time of zero, close() sends RST instead of FIN.
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private static void awaitClientsEnd(Socket socket) throws IOException {
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    }
}
