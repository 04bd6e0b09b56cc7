package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.FakeWar;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.ReportFolder;
import dev.millrace.load.report.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A run does not start when its results cannot be written. */
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
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertEquals(
                "loadclient: cannot write to " + path + ": " + reason + " (see loadclient " + args[0] + " --help)",
                cli.err().strip());
        assertEquals("", cli.out());
    }

    @Test
    void nothingIsRequestedWhenTheFolderCannotBeWritten() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            for (String command : List.of("uuid", "download")) {
                assertRefused(
                        file,
                        "it is not a folder",
                        command,
                        "-n=1",
                        "--warmup=0s",
                        "-o",
                        file.toString(),
                        server.url("/"));
            }
            assertEquals(List.of(), server.requests());
        }
    }

    @Test
    void noServerIsStartedWhenTheFolderCannotBeWritten() throws IOException {
        String war = FakeWar.in(folder, "good.war").toString();
        assertRefused(file, "it is not a folder", "demo", "-o", file.toString(), war);
        Cli replay = Cli.run("replay", "--war", war, "-o", file.toString(), "mina");
        assertEquals(ExitCode.USAGE, replay.code(), replay.err());
        assertTrue(replay.err().startsWith("loadclient: cannot write to " + file.resolve("mina") + ": "), replay.err());
        assertEquals(List.of(), ProcessHandle.current().children().toList());
    }

    @Test
    void aReportNamesTheFolderThatCannotBeWritten() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(
                    ExitCode.GOOD,
                    Cli.run(
                                    "uuid",
                                    "-c=1",
                                    "-n=1",
                                    "--warmup=0s",
                                    "-q",
                                    "-o",
                                    folder.toString(),
                                    server.url("/generate-uuid"))
                            .code());
        }
        assertRefused(file, "it is not a folder", "report", "-o", file.toString(), folder.toString());
    }

    @Test
    void percentilesOfAnEarlierRunAreTakenAway() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            for (String clients : List.of("1,2", "2")) {
                Cli cli = Cli.run(
                        "uuid",
                        "-c=" + clients,
                        "-n=2",
                        "--warmup=0s",
                        "-o",
                        folder.toString(),
                        server.url("/generate-uuid"));
                assertEquals(ExitCode.GOOD, cli.code(), cli.err());
                Files.writeString(folder.resolve("hgrm/notes.txt"), "mine");
            }
        }
        try (var files = Files.list(folder.resolve("hgrm"))) {
            assertEquals(
                    List.of("c=2_GET_ka=on_RANDOM_n=1-0.hgrm", "notes.txt"),
                    files.map(path -> path.getFileName().toString()).sorted().toList());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskIsAnErrorInEachFormat() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(
                    ExitCode.GOOD,
                    Cli.run(
                                    "uuid",
                                    "-c=1",
                                    "-n=1",
                                    "--warmup=0s",
                                    "-q",
                                    "-o",
                                    folder.toString(),
                                    server.url("/generate-uuid"))
                            .code());
        }
        RunFile run = RunFile.read(folder.resolve("run.json"));
        List<Path> files;
        try (var all = Files.walk(folder)) {
            files = all.filter(path -> Files.isRegularFile(path) && !path.equals(file))
                    .toList();
        }
        assertEquals(6, files.size(), files.toString());
        for (Path path : files) {
            Files.delete(path);
            Files.createSymbolicLink(path, Path.of("/dev/full"));
            IOException failure =
                    assertThrows(IOException.class, () -> ReportFolder.write(run, folder), path::toString);
            assertTrue(failure.getMessage().contains("No space left on device"), path + ": " + failure);
            Files.delete(path);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskIsNamed() throws IOException {
        Files.createSymbolicLink(folder.resolve("run.json"), Path.of("/dev/full"));
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli =
                    Cli.run("uuid", "-c=1", "-n=1", "--warmup=0s", "-q", "-o=" + folder, server.url("/generate-uuid"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            assertEquals(
                    "loadclient: cannot write into " + folder + ": No space left on device",
                    cli.err().strip());
        }
    }

    @Test
    void aReportDoesNotWriteItsSource() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(
                    ExitCode.GOOD,
                    Cli.run(
                                    "uuid",
                                    "-c=1",
                                    "-n=1",
                                    "--warmup=0s",
                                    "-q",
                                    "--format=json",
                                    "-o",
                                    folder.toString(),
                                    server.url("/generate-uuid"))
                            .code());
        }
        Path run = folder.resolve("run.json");
        String content = Files.readString(run) + "\n\n";
        Files.writeString(run, content);
        assertEquals(ExitCode.GOOD, Cli.run("report", folder.toString()).code());
        assertEquals(
                ExitCode.GOOD,
                Cli.run("report", "-o", folder.resolve(".").toString(), run.toString())
                        .code());
        assertEquals(content, Files.readString(run));
        assertTrue(Files.exists(folder.resolve("report.html")));
        Path other = folder.resolve("other");
        assertEquals(
                ExitCode.GOOD,
                Cli.run("report", "-o", other.toString(), run.toString()).code());
        assertEquals(
                content.strip(), Files.readString(other.resolve("run.json")).strip());
    }

    @Test
    void aDryRunMakesNoFolder() throws IOException {
        Path none = folder.resolve("none");
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(
                    ExitCode.GOOD,
                    Cli.run("uuid", "--dry-run", "-o", none.toString(), server.url("/"))
                            .code());
        }
        assertFalse(Files.exists(none));
    }

    @Test
    void aFolderThatIsThereStaysAsItIs() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(
                    ExitCode.GOOD,
                    Cli.run(
                                    "uuid",
                                    "-c=1",
                                    "-n=1",
                                    "--warmup=0s",
                                    "-q",
                                    "--format=csv",
                                    "-o",
                                    folder.toString(),
                                    server.url("/generate-uuid"))
                            .code());
        }
        try (var files = Files.list(folder)) {
            assertEquals(
                    List.of("cells.csv", "file"),
                    files.map(path -> path.getFileName().toString()).sorted().toList());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskTakesNeitherTheOtherFilesNorTheVerdict() throws IOException {
        Path full = Files.createDirectory(folder.resolve("full"));
        Files.createSymbolicLink(full.resolve("run.json"), Path.of("/dev/full"));
        Path junit = folder.resolve("junit.xml");
        Path metrics = folder.resolve("metrics");
        try (TestServer a = answering();
                TestServer b = answering()) {
            Cli cli = Cli.run(
                    "http",
                    "-q",
                    "-c=1",
                    "-d=50ms",
                    "--warmup=0s",
                    "--budget=300ms",
                    "--fail-if=p50>0us",
                    "--junit=" + junit,
                    "--openmetrics=" + metrics,
                    "-o=" + full,
                    a.url("/"),
                    b.url("/"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            assertTrue(cli.err().contains("cannot write into " + full + ": No space left on device"), cli.err());
            assertTrue(cli.err().contains("--fail-if 'p50>0us'"), cli.err());
            assertTrue(cli.outLines().get(cli.outLines().size() - 1).startsWith("verdict: "), cli.out());
        }
        assertTrue(Files.readString(junit).contains(" not p50&gt;0us"), "the build server learns why");
        assertTrue(Files.readString(metrics).endsWith("# EOF\n"));
    }

    private static TestServer answering() throws IOException {
        return new TestServer(TestServer.unhurried(
                (request, out, socket) -> TestServer.send(out, "200 OK", "text/plain", "hello".getBytes(US_ASCII))));
    }
}
