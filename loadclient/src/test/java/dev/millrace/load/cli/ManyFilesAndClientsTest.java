package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.host.Sockets;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many files, and many clients. */
class ManyFilesAndClientsTest {

    private static final int FILES = 3000;
    private static final int CLIENTS = 1100;

    @TempDir
    private Path folder;

    private CellResult only() throws IOException {
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    @Test
    void thousandsOfFilesAreDrawnAtRandomAndEachIsChecked() throws IOException {
        Map<String, byte[]> files = new HashMap<>();
        for (int i = 0; i < FILES; i++) {
            files.put("/files/f" + i, TestFiles.content(i));
        }
        String catalog = files.entrySet().stream()
                .map(file -> TestFiles.entry(file.getKey().substring(7), file.getValue()))
                .collect(Collectors.joining(",", "{\"files\":[", "]}"));
        files.put("/files/catalog.json", catalog.getBytes(UTF_8));
        try (TestServer server = new TestServer(
                (request, out, socket) -> TestServer.send(out, "200 OK", "x/y", files.get(request.target())))) {
            Cli cli = Cli.run(
                    "download",
                    "-c=4",
                    "-n=" + 4 * FILES,
                    "--warmup=0s",
                    "-q",
                    "-o",
                    folder.toString(),
                    server.url("/files"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            CellResult cell = only();
            assertEquals(4 * FILES, cell.counts().requests());
            assertEquals(0, cell.sizes().size(), "a collection, no mix of sizes");
            Set<String> asked =
                    server.requests().stream().map(TestServer.Request::target).collect(Collectors.toSet());
            assertTrue(asked.size() > FILES * 0.9, asked.size() + " of them were asked for");
        }
    }

    @Test
    void aWrongByteInOneOfThousandsIsFound() throws IOException {
        byte[] right = TestFiles.content(64);
        String catalog = IntStream.range(0, FILES)
                .mapToObj(i -> TestFiles.entry("f" + i, right))
                .collect(Collectors.joining(",", "{\"files\":[", "]}"));
        byte[] wrong = right.clone();
        wrong[63] ^= 1;
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out,
                "200 OK",
                "x/y",
                request.target().endsWith("json")
                        ? catalog.getBytes(UTF_8)
                        : request.target().endsWith("/f1234") ? wrong : right))) {
            Cli cli = Cli.run(
                    "download",
                    "-c=1",
                    "-n=" + 2 * FILES,
                    "--warmup=0s",
                    "-q",
                    "-o",
                    folder.toString(),
                    server.url("/files"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(Set.of("wrong digest"), only().errors().keySet());
            assertTrue(only().errors().get("wrong digest").first().startsWith("MD5 of f1234 is "));
        }
    }

    @Test
    void moreThanAThousandClientsAreServedAlike() throws IOException {
        // This process holds both ends of each connection.
        assumeTrue(Sockets.freeDescriptors().orElse(Long.MAX_VALUE) > 2 * CLIENTS + 200);
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=" + CLIENTS,
                    "-n=" + 3 * CLIENTS,
                    "--warmup=0s",
                    "-q",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            CellResult cell = only();
            assertEquals(3 * CLIENTS, cell.counts().requests());
            assertEquals(3 * CLIENTS, server.requests().size());
            assertTrue(cell.counts().connections() <= CLIENTS, () -> "one each at most: " + cell.counts());
            assertEquals(0, cell.counts().cutOff());
        }
    }
}
