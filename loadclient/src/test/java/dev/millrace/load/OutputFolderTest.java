package dev.millrace.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where no result can be written nothing is measured. */
class OutputFolderTest {

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(folder.resolve("file"), "");
    }

    private static void assertRefused(Path path, String reason, String... args) {
        Cli cli = Cli.run(args);
        assertEquals(Main.USAGE, cli.code(), cli.err());
        assertEquals("loadclient: cannot write to " + path + ": " + reason + " (see loadclient " + args[0] + " --help)",
                cli.err().strip());
        assertEquals("", cli.out());
    }

    @Test
    void aServerIsNotAskedInVain() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            for (String command : List.of("uuid", "download")) {
                assertRefused(file, "it is not a folder", command, "-n=1", "--warmup=0s", "-o", file.toString(),
                        server.url("/"));
            }
            assertEquals(List.of(), server.requests());
        }
    }

    @Test
    void noServerIsStartedInVain() throws IOException {
        String war = FakeWar.in(folder, "good.war").toString();
        assertRefused(file, "it is not a folder", "demo", "-o", file.toString(), war);
        Cli replay = Cli.run("replay", "--war", war, "-o", file.toString(), "mina");
        assertEquals(Main.USAGE, replay.code(), replay.err());
        assertTrue(replay.err().startsWith("loadclient: cannot write to " + file.resolve("mina") + ": "), replay.err());
        assertEquals(List.of(), ProcessHandle.current().children().toList());
    }

    @Test
    void aReportSaysWhereItCannotBe() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(Main.GOOD, Cli.run("uuid", "-c=1", "-n=1", "--warmup=0s", "-q", "-o", folder.toString(),
                    server.url("/generate-uuid")).code());
        }
        assertRefused(file, "it is not a folder", "report", "-o", file.toString(), folder.toString());
    }

    @Test
    void aDryRunMakesNoFolder() throws IOException {
        Path none = folder.resolve("none");
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(Main.GOOD, Cli.run("uuid", "--dry-run", "-o", none.toString(), server.url("/")).code());
        }
        assertFalse(Files.exists(none));
    }

    @Test
    void aFolderThatIsThereStaysAsItIs() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(Main.GOOD, Cli.run("uuid", "-c=1", "-n=1", "--warmup=0s", "-q", "--format=csv", "-o",
                    folder.toString(), server.url("/generate-uuid")).code());
        }
        try (var files = Files.list(folder)) {
            assertEquals(List.of("cells.csv", "file"), files.map(path -> path.getFileName().toString()).sorted().toList());
        }
    }
}
