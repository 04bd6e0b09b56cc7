package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.millrace.load.TestServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other processes took of the machine stands in the first line of the report. */
class OtherProcessesTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private Cli run(TestServer server, String... options) {
        List<String> all = new ArrayList<>(List.of("uuid", "--warmup=0s", "-q", "-o", folder.toString()));
        all.addAll(List.of(options));
        all.add(server.url("/generate-uuid"));
        return Cli.run(all.toArray(String[]::new));
    }

    /** The report of a run whose first cell has this verdict, and other processes of this part of ten CPU seconds. */
    private String report(String verdict, double other) throws IOException {
        File file = folder.resolve("run.json").toFile();
        ObjectNode run = (ObjectNode) JSON.readTree(file);
        ObjectNode cell = (ObjectNode) run.at("/cells/0");
        cell.put("verdict", verdict);
        ObjectNode cpu = (ObjectNode) cell.get("cpu");
        cpu.put("server", 1.0).put("client", 1.0).put("steal", 0.0);
        cpu.put("other", other).put("idle", 8 - other);
        JSON.writeValue(file, run);
        assertEquals(
                ExitCode.GOOD,
                Cli.run("report", "--output", folder.toString(), file.toString())
                        .code());
        return Files.readString(folder.resolve("report.html"));
    }

    @Test
    void theFirstLineSaysSo() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = run(server, "-c=1", "-n=20");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        }
        assertTrue(report("ok", 4)
                .contains(
                        "No error, and every cell is valid. But other processes took up to 40 % of the machine.</p>"));
        assertFalse(report("ok", 0.5).contains("other processes took up to"));
    }

    @Test
    void aBadCellDoesNotHideIt() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            run(server, "-c=1", "-n=20");
        }
        assertTrue(report("invalid: stopped early", 4)
                .contains("invalid: stopped early</li>\n</ul>\n"
                        + "<p>In a window, other processes took up to 40 % of the machine.</p>"));
        assertFalse(report("invalid: stopped early", 0.5).contains("other processes took up to"));
    }

    /** A window of two seconds is the shortest in which the kernel's ticks tell per cents. */
    @Test
    void moreThanMayBeMakesACellInvalid() throws IOException {
        TestServer.Behaviour behaviour = TestServer.unhurried((request, out, socket) -> {
            if (request.target().equals("/cpu")) {
                TestServer.send(out, "200 OK", "text/plain", "1".getBytes(US_ASCII));
            } else {
                TestServer.answerUuids(request, out, socket);
            }
        });
        Process other = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        try (TestServer server = new TestServer(behaviour)) {
            Cli cli = run(server, "-c=1", "-d=2s", "--server-cpu-url=" + server.url("/cpu"), "--max-other=0.1");
            assertEquals(ExitCode.INVALID, cli.code(), cli.err());
            assertTrue(cli.out().matches("(?s).* invalid: other processes \\([0-9.]+ %\\).*"), cli.out());
            assertTrue(
                    Files.readString(folder.resolve("report.html"))
                            .matches(
                                    "(?s).*</h1>\n<p>[^\n]*</p>\n<ul class=\"bad\">\n<li>[^\n]*invalid: other processes .*"),
                    "the report begins with it");
        } finally {
            other.destroyForcibly();
        }
    }
}
