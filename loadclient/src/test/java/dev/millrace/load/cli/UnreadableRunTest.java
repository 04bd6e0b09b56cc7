package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.millrace.load.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A {@code run.json} that is none, or lacks a part, is one line that names it. */
class UnreadableRunTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private void assertRefused(Path run, String reason) {
        for (String[] args : new String[][] {
            {"report", run.toString()},
            {"report", "--merge", "-o", folder.resolve("sum").toString(), run.toString(), run.toString()},
            {"compare", run.toString(), run.toString()}
        }) {
            Cli cli = Cli.run(args);
            assertEquals(ExitCode.USAGE, cli.code(), cli.err());
            assertEquals(1, cli.err().lines().count(), cli.err());
            assertTrue(cli.err().contains(run.toString()) && cli.err().contains(reason), cli.err());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "[]",
                "3",
                "NaN",
                "",
                "{",
                "{\"schemaVersion\": 1, \"cells\": null}",
                "{\"schemaVersion\": 1, \"cells\": []}",
                "{\"schemaVersion\": 1, \"cells\": 3}"
            })
    void aTextThatIsNoRunIsRefused(String text) throws IOException {
        assertRefused(Files.writeString(folder.resolve("run.json"), text), "run.json");
    }

    @Test
    void aDeepTextIsRefused() throws IOException {
        String text = "{\"cells\": " + "[".repeat(100_000);
        assertRefused(Files.writeString(folder.resolve("run.json"), text), "run.json");
    }

    private ObjectNode measured(Path run) throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli.run("uuid", "-c=1", "-n=5", "--warmup=0s", "-q", "-o=" + folder, server.url("/generate-uuid"));
        }
        return (ObjectNode) JSON.readTree(run.toFile());
    }

    @Test
    void aRunThatLacksAPartIsRefused() throws IOException {
        Path run = folder.resolve("run.json");
        ObjectNode whole = measured(run);
        for (String part : new String[] {"title", "started", "command", "environment", "plan"}) {
            JSON.writeValue(run.toFile(), whole.deepCopy().without(part));
            assertRefused(run, "missing");
        }
        ObjectNode empty = whole.deepCopy();
        empty.putArray("cells").addNull();
        JSON.writeValue(run.toFile(), empty);
        assertRefused(run, "missing");
        for (String part : new String[] {
            "label",
            "parameters",
            "model",
            "counts",
            "errors",
            "times",
            "sizes",
            "cpu",
            "series",
            "histogram",
            "verdict",
            "notes"
        }) {
            ObjectNode lacking = whole.deepCopy();
            ((ObjectNode) lacking.at("/cells/0")).remove(part);
            JSON.writeValue(run.toFile(), lacking);
            assertRefused(run, "no " + part);
        }
        assertFalse(Files.exists(folder.resolve("sum")));
    }

    @Test
    void aRunWithAPartThatIsNoneIsRefused() throws IOException {
        Path run = folder.resolve("run.json");
        ObjectNode whole = measured(run);
        for (String place : new String[] {"/environment", "/plan", "/cells/0/parameters", "/cells/0/errors"}) {
            ObjectNode lacking = whole.deepCopy();
            ((ObjectNode) lacking.at(place)).putNull("a");
            JSON.writeValue(run.toFile(), lacking);
            assertRefused(run, "missing in ");
        }
        for (String place : new String[] {"/cells/0/notes", "/cells/0/sizes", "/cells/0/series/requests"}) {
            ObjectNode lacking = whole.deepCopy();
            ((ArrayNode) lacking.at(place)).addNull();
            JSON.writeValue(run.toFile(), lacking);
            assertRefused(run, "missing in ");
        }
        for (String text : new String[] {"AAAA", "x", "HISTFAAAAB4"}) {
            ObjectNode broken = whole.deepCopy();
            ((ObjectNode) broken.at("/cells/0")).put("histogram", text);
            JSON.writeValue(run.toFile(), broken);
            assertRefused(run, "histogram");
        }
        for (String part : new String[] {"warmup", "requests", "bytes"}) {
            ObjectNode lacking = whole.deepCopy();
            ((ObjectNode) lacking.at("/cells/0/series")).remove(part);
            JSON.writeValue(run.toFile(), lacking);
            assertRefused(run, "no " + part);
        }
    }
}
