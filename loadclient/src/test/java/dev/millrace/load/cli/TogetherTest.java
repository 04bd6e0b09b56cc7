package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Interruption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Servers are measured in one window, in which their clients take turns, and their CPU time is compared. */
class TogetherTest {

    private static final String GOOD = "200 OK";

    @TempDir
    private Path folder;

    /** A server that tells at /cpu so many seconds for each of its other requests. */
    static TestServer server(String secondsEach, String status) throws IOException {
        AtomicInteger served = new AtomicInteger();
        return new TestServer((request, out, socket) -> {
            if (request.target().equals("/cpu")) {
                BigDecimal seconds = new BigDecimal(secondsEach).multiply(new BigDecimal(served.get()));
                TestServer.send(out, GOOD, "text/plain", seconds.toPlainString().getBytes(US_ASCII));
            } else {
                served.incrementAndGet();
                TestServer.send(out, status, "text/plain", "hello".getBytes(US_ASCII));
            }
        });
    }

    private List<String> words(TestServer a, TestServer b, String... more) {
        List<String> words = new ArrayList<>(List.of("http", "--together", "-c=2", "--warmup=0s"));
        words.addAll(List.of("-o", folder.toString(), "--label=a,b"));
        words.addAll(List.of("--server-cpu-url", a.url("/cpu") + "," + b.url("/cpu")));
        words.addAll(List.of(more));
        words.addAll(List.of(a.url("/"), b.url("/")));
        return words;
    }

    private Cli run(String secondsEach, String... more) throws IOException {
        try (TestServer a = server("0.001", GOOD);
                TestServer b = server(secondsEach, GOOD)) {
            return Cli.run(words(a, b, more).toArray(String[]::new));
        }
    }

    private List<CellResult> cells() throws IOException {
        return RunFile.read(folder.resolve("run.json")).cells();
    }

    private static String last(Cli cli) {
        return cli.outLines().get(cli.outLines().size() - 1);
    }

    @Test
    void serversWithoutACellInCommonAreRefused() throws IOException {
        try (TestServer a = server("0.001", GOOD);
                TestServer b = server("0.001", GOOD)) {
            String cpu = "--server-cpu-url=" + a.url("/cpu") + "," + b.url("/cpu");
            List<List<String>> commands = List.of(
                    List.of("http", "--together", "-d=100ms", "--warmup=0s", cpu, a.url("/x"), b.url("/y")),
                    List.of("http", "--budget=1s", "-d=100ms", "--warmup=0s", cpu, a.url("/x"), b.url("/y")),
                    List.of("compare", "--budget=1s", a.url("/x"), b.url("/y"), "--", "-d=100ms", "--warmup=0s", cpu));
            for (List<String> command : commands) {
                Cli cli = Cli.run(command.toArray(String[]::new));
                assertEquals(ExitCode.USAGE, cli.code(), cli.out() + cli.err());
                assertTrue(cli.err().contains("has no cell like those of"), cli.err());
            }
        }
    }

    @Test
    void windowsAndNumbersOfRequestsAreTheSame() throws IOException {
        Cli cli = run("0.001", "-d=100ms", "--repeat=4", "--order=abba", "--progress=none");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        List<CellResult> cells = cells();
        assertEquals(
                List.of("a", "b", "b", "a", "a", "b", "b", "a"),
                cells.stream().map(CellResult::label).toList(),
                "each begins in turn");
        for (int i = 0; i < cells.size(); i += 2) {
            CellResult one = cells.get(i);
            CellResult other = cells.get(i + 1);
            assertEquals(one.repetition(), other.repetition());
            assertEquals(one.windowStartMillis(), other.windowStartMillis());
            assertEquals(one.windowSeconds(), other.windowSeconds());
            long more = one.counts().requests() - other.counts().requests();
            // At an end of the window each of the two clients may be within its turn of eight, and within a request.
            assertTrue(Math.abs(more) <= 2 * 9, cli.out());
            assertEquals(other.cpu().server(), one.cpu().partners(), "no other process");
            assertNull(one.clientMicrosPerRequest(), "one process is the client of both");
        }
    }

    @Test
    void theServersCpuDecidesAlone() throws IOException {
        Path junit = folder.resolve("junit.xml");
        Cli cli = run("0.003", "-d=100ms", "--budget=10m", "--progress=none", "--junit=" + junit);
        assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
        String cases = Files.readString(junit);
        assertTrue(cases.contains(" failures=\"1\""), cases);
        assertTrue(cases.contains(" name=\"c=2 GET ka=on / not worse\""), cases);
        assertTrue(cases.contains("<failure message=\"server CPU "), cases);
        assertTrue(last(cli).startsWith("verdict: worse in 1 of 1 (c=2 GET ka=on /: server CPU "), cli.out());
        Cli again = Cli.run("compare", folder + "#a", folder + "#b");
        assertEquals(last(cli), last(again), "the run says that throughput does not count");
        String report = Files.readString(folder.resolve("report.html"));
        assertTrue(report.contains("clients take turns, so that throughput is the same, and server CPU decides"));
        assertTrue(report.contains("<th scope=\"col\">other servers</th>"), "they are no idle time");
    }

    @Test
    void theSameCostIsNoDifference() throws IOException {
        Cli cli = run("0.001", "-d=50ms", "--budget=10m", "--margin=1000", "--progress=none");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertEquals("verdict: no difference in 1 of 1", last(cli));
    }

    @Test
    void errorsOfOneServerAreItsOwn() throws IOException {
        try (TestServer a = server("0.001", GOOD);
                TestServer b = server("0.001", "500 Internal Server Error")) {
            Cli cli = Cli.run(words(a, b, "-d=200ms", "--progress=none").toArray(String[]::new));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
        }
        assertEquals(0, cells().get(0).errorCount());
        assertTrue(cells().get(0).counts().requests() > 0);
        assertTrue(cells().get(1).errorCount() > 0);
    }

    @Test
    void theUsersEndIsThatOfAll() throws IOException {
        Interruption interruption = new Interruption();
        StringWriter err = new StringWriter();
        CommandLine line = Main.commandLine(interruption);
        line.setOut(new PrintWriter(new StringWriter()));
        line.setErr(new PrintWriter(err, true) {
            @Override
            public void println(String text) {
                super.println(text);
                if (text.startsWith("[1/2] window ")) {
                    new Thread(interruption::interrupt, "interruption").start();
                }
            }
        });
        try (TestServer a = server("0.001", GOOD);
                TestServer b = server("0.001", GOOD)) {
            int code = line.execute(words(a, b, "-d=10m", "--progress=plain").toArray(String[]::new));
            assertEquals(ExitCode.INVALID, code, err.toString());
        } finally {
            interruption.finished();
        }
        assertEquals(
                List.of("invalid: stopped early", "invalid: stopped early"),
                cells().stream().map(CellResult::verdict).toList());
    }

    @Test
    void whatCannotBeComparedIsRefused() throws IOException {
        String[] urls = {"http://127.0.0.1:1/", "http://127.0.0.1:2/"};
        for (List<String> wrong : List.of(
                List.of("http", "--together", urls[0]),
                List.of("http", "--together", "-n=10", urls[0], urls[1]),
                List.of("http", "--together", "--rate=10", urls[0], urls[1]),
                List.of("http", "--together", "--protocol=h2c", "--streams=2", urls[0], urls[1]))) {
            Cli cli = Cli.run(wrong.toArray(String[]::new));
            assertEquals(ExitCode.USAGE, cli.code(), cli.err());
            assertTrue(cli.err().contains("--together"), cli.err());
        }
        try (TestServer a = server("0.001", GOOD);
                TestServer b = server("0.001", GOOD)) {
            Cli cli = Cli.run("http", "--together", "-d=1s", a.url("/"), b.url("/"));
            assertEquals(ExitCode.USAGE, cli.code(), cli.err());
            assertTrue(cli.err().contains("each must be a process of its own"), cli.err());
        }
    }
}
