package dev.millrace.load.cli;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other processes took of the machine stands in the first line of the report. */
class OtherProcessesTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    /** The report of a run whose other processes took this part of ten CPU seconds. */
    private String report(double other) throws IOException {
        File file = folder.resolve("run.json").toFile();
        ObjectNode run = (ObjectNode) JSON.readTree(file);
        ObjectNode cpu = (ObjectNode) run.at("/cells/0/cpu");
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
            Cli cli = Cli.run(
                    "uuid",
                    "-c=1",
                    "-n=20",
                    "--warmup=0s",
                    "-q",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        }
        assertTrue(report(4)
                .contains(
                        "No error, and every cell is valid. But other processes took up to 40 % of the machine.</p>"));
        assertFalse(report(0.5).contains("But other processes"));
    }
}
