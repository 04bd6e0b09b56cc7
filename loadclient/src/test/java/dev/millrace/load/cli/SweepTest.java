package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Comma lists make one cell for each combination, and every cell is reported. */
class SweepTest {

    @TempDir
    private Path folder;

    @Test
    void everyCombinationIsACell() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run(
                    "uuid",
                    "--clients",
                    "1,2",
                    "-m",
                    "GET,POST",
                    "--keepalive",
                    "on,off",
                    "--count=1,10",
                    "--uuid-method",
                    "RANDOM,TIME",
                    "-n",
                    "5",
                    "--warmup",
                    "0s",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(32, cli.outLines().size());
            RunFile run = RunFile.read(folder.resolve("run.json"));
            Set<Map<String, String>> distinct = new HashSet<>();
            for (CellResult cell : run.cells()) {
                distinct.add(cell.parameters());
                assertEquals(5, cell.counts().requests(), cell.parameters().toString());
                assertEquals(5, cell.times().latency().count());
                int perConnection = cell.parameters().get("keepalive").equals("off") ? 5 : 0;
                assertTrue(
                        cell.counts().connections() >= Math.max(1, perConnection),
                        cell.parameters().toString());
            }
            assertEquals(32, distinct.size());
            assertEquals(160, server.requests().size());
        }
    }

    @Test
    void linesHaveTheSameWidth() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run("uuid", "-c", "1,20", "-n", "2000", "--warmup=0s", server.url("/generate-uuid"));
            List<String> lines = cli.outLines();
            assertEquals(lines.get(0).indexOf("| err"), lines.get(1).indexOf("| err"), cli.out());
            assertTrue(lines.get(0).startsWith("c=1 GET ka=on RANDOM n=1 "), cli.out());
            assertTrue(lines.get(0).contains(" ms | err 0 | "), cli.out());
        }
    }

    @Test
    void requestsGoOutAsTheServiceWantsThem() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli.run(
                    "uuid",
                    "-c=1",
                    "-n=1",
                    "--warmup=0s",
                    "-m=GET,POST",
                    "--uuid-method=NAME",
                    "--name=a&b",
                    "-H",
                    "X-Test: 1",
                    server.url("/generate-uuid"));
            assertEquals(
                    "/generate-uuid?method=NAME&count=1&name=a%26b",
                    server.requests().get(0).target());
            assertTrue(server.requests().get(0).head().contains("X-Test: 1"));
            assertEquals(
                    "<request><generate-uuid method=\"NAME\" count=\"1\" name=\"a&amp;b\"/></request>",
                    server.requests().get(1).body());
            assertTrue(server.requests().get(1).head().contains("Content-Type: text/xml; charset=UTF-8"));
        }
    }

    @Test
    void aFileIsACellAndAllFilesAreAMix() throws IOException {
        byte[] small = TestFiles.content(1000);
        byte[] large = TestFiles.content(50_000);
        String catalog = "{\"files\":[" + TestFiles.entry("s", small) + "," + TestFiles.entry("l", large) + "]}";
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out,
                "200 OK",
                "application/octet-stream",
                switch (request.target()) {
                    case "/f/s" -> small;
                    case "/f/l" -> large;
                    default -> catalog.getBytes(StandardCharsets.UTF_8);
                }))) {
            Cli each = Cli.run("download", "-c=1", "-n=2", "--warmup=0s", "--file=each", server.url("/f/"));
            assertEquals(ExitCode.GOOD, each.code(), each.err());
            assertEquals(2, each.outLines().size());
            Cli mix = Cli.run("download", "-c=1", "-n=10", "--warmup=0s", "-o", folder.toString(), server.url("/f/"));
            assertEquals(ExitCode.GOOD, mix.code(), mix.err());
            assertEquals(
                    5 * 51_000,
                    (double) RunFile.read(folder.resolve("run.json"))
                            .cells()
                            .get(0)
                            .counts()
                            .bytes(),
                    49_000,
                    "dealt from a deck: five rounds of both files, begun in the middle of one");
        }
    }

    @Test
    void aWindowOfTimeIsMeasuredAfterTheWarmUp() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=2",
                    "-d=1100ms",
                    "--warmup=200ms",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            CellResult cell = RunFile.read(folder.resolve("run.json")).cells().get(0);
            assertTrue(cell.windowSeconds() >= 1.1, () -> "window " + cell.windowSeconds());
            assertTrue(
                    cell.counts().requests() > 0
                            && cell.counts().requests() < server.requests().size(),
                    "the warm-up's requests are not counted");
            long belated = cell.times().latency().count() - cell.counts().requests();
            assertTrue(belated >= 0 && belated <= 2, () -> "one at most of each client comes in the drain: " + belated);
            int seconds = cell.series().requests().size();
            assertTrue(seconds >= 1 && seconds <= cell.windowSeconds(), () -> seconds + " in " + cell.windowSeconds());
            assertTrue(
                    Pattern.compile("\\[1/1] window  \\d+s  ")
                            .matcher(cli.err())
                            .find(),
                    cli.err());
            assertTrue(cell.times().latency().p50() <= cell.times().latency().p99()
                    && cell.times().latency().p99() <= cell.times().latency().max());
            assertTrue(cell.times().firstByte().p50() <= cell.times().latency().max());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theServersProcessIsFoundByItsPort() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> {
            // CPU time comes in ticks of 10 ms, and may be 0 in a short window.
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            long end = threads.getCurrentThreadCpuTime() + 30_000_000L;
            while (threads.getCurrentThreadCpuTime() < end) {
                Thread.onSpinWait();
            }
            TestServer.answerUuids(request, out, socket);
        })) {
            Cli cli = Cli.run(
                    "uuid", "-c=2", "-d=300ms", "--warmup=0s", "-o", folder.toString(), server.url("/generate-uuid"));
            RunFile run = RunFile.read(folder.resolve("run.json"));
            CellResult cell = run.cells().get(0);
            assertTrue(run.environment()
                    .get("server process")
                    .startsWith(ProcessHandle.current().pid() + " "));
            assertTrue(cell.cpu().server() > 0, cli.out());
            assertTrue(cell.serverMicrosPerRequest() > 0);
            assertTrue(Files.readString(folder.resolve("report.html")).contains("<svg"));
        }
    }
}
