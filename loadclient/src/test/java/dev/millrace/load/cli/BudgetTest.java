package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Servers are measured in turns until each question is decided, or the budget is spent. */
class BudgetTest {

    @TempDir
    private Path folder;

    private static void answer(OutputStream out) throws IOException {
        out.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".getBytes(StandardCharsets.US_ASCII));
    }

    /** Tells a CPU time of a millisecond for each request. Of a short window the kernel may count no tick of 10 ms. */
    private static TestServer server() throws IOException {
        AtomicLong served = new AtomicLong();
        return new TestServer(TestServer.unhurried((request, out, socket) -> {
            if (request.target().equals("/cpu")) {
                String seconds = BigDecimal.valueOf(served.get(), 3).toPlainString();
                TestServer.send(out, "200 OK", "text/plain", seconds.getBytes(StandardCharsets.US_ASCII));
            } else {
                served.incrementAndGet();
                answer(out);
            }
        }));
    }

    private Cli run(String budget, String margin, String... more) throws Exception {
        try (TestServer a = server();
                TestServer b = server()) {
            List<String> words = new ArrayList<>(List.of(more));
            words.addAll(List.of("--budget=" + budget, "--margin=" + margin));
            if (more[0].equals("compare")) {
                words.addAll(List.of(a.url("/"), b.url("/"), "--"));
            }
            words.addAll(List.of(
                    "-c=1",
                    "--warmup=0s",
                    "--duration=50ms",
                    "--progress=none",
                    "--server-cpu-url=" + a.url("/cpu") + "," + b.url("/cpu"),
                    "-o",
                    folder.toString()));
            if (more[0].equals("http")) {
                words.addAll(List.of("--label=a,b", a.url("/"), b.url("/")));
            }
            return Cli.run(words.toArray(String[]::new));
        }
    }

    private static String last(Cli cli) {
        return cli.outLines().get(cli.outLines().size() - 1);
    }

    /** The error stays, so that no further round could decide that B is as good as A. */
    @Test
    void oneErrorDoesNotUseUpTheBudget() throws Exception {
        AtomicInteger number = new AtomicInteger();
        try (TestServer a = server();
                TestServer b = new TestServer(TestServer.unhurried((request, out, socket) -> {
                    if (number.incrementAndGet() == 3) {
                        TestServer.send(out, "500 Internal Server Error", "text/plain", new byte[0]);
                    } else {
                        answer(out);
                    }
                }))) {
            Cli cli = Cli.run(
                    "http",
                    "--budget=1m",
                    "--margin=100000",
                    "-c=1",
                    "--warmup=0s",
                    "--duration=50ms",
                    "--progress=none",
                    "--label=a,b",
                    "-o",
                    folder.toString(),
                    a.url("/"),
                    b.url("/"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            int cells = RunFile.read(folder.resolve("run.json")).cells().size();
            assertTrue(cells <= 30, cells + " cells");
            assertTrue(
                    last(cli).matches("verdict: undecided in 1 of 1 .*: B, 1 of \\d+: errors: status x 1 .*"),
                    cli.out());
        }
    }

    /** Answers after a pause, all but one request in a window in which another one was answered. */
    private static final class HoldsOne implements TestServer.Behaviour {

        private final long pauseNanos;
        private Socket last;
        private boolean held;

        HoldsOne(long pauseMillis) {
            this.pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
        }

        /** Each window has a connection of its own. */
        private synchronized boolean holds(Socket socket) {
            boolean isSecond = socket == last;
            last = socket;
            boolean now = isSecond && !held;
            held |= now;
            return now;
        }

        @Override
        public void answer(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
            if (holds(socket)) {
                // The client closes the connection at the end of its drain.
                socket.getInputStream().read();
                return;
            }
            TestServer.takeTime(pauseNanos);
            BudgetTest.answer(out);
        }
    }

    /** Throughput alone decides: a CPU time that stands still is not known, and that of a short window may be none. */
    private Cli compareWithOneWindowInvalid(long pauseMillis, String margin, String... more) throws Exception {
        try (TestServer a = server();
                TestServer b = new TestServer(new HoldsOne(pauseMillis));
                TestServer cpu = new TestServer((request, out, socket) ->
                        TestServer.send(out, "200 OK", "text/plain", "1".getBytes(StandardCharsets.US_ASCII)))) {
            List<String> words = new ArrayList<>(List.of(
                    "compare",
                    "--margin=" + margin,
                    a.url("/"),
                    b.url("/"),
                    "--",
                    "-c=1",
                    "--warmup=0s",
                    // The held request alone uses it up. A pause of the machine must not do so for another one.
                    "--drain=2500ms",
                    "--progress=none",
                    "--server-cpu-url=" + cpu.url("/") + "," + cpu.url("/"),
                    "--junit=" + folder.resolve("junit.xml"),
                    "-o",
                    folder.toString()));
            words.addAll(List.of(more));
            return Cli.run(words.toArray(String[]::new));
        }
    }

    private void assertLeavesOneOut(String verdict, int code, Cli cli) throws IOException {
        assertTrue(last(cli).startsWith("verdict: " + verdict + " in 1 of 1"), cli.out());
        List<String> invalid = RunFile.read(folder.resolve("run.json")).cells().stream()
                .filter(cell -> !cell.valid())
                .map(CellResult::verdict)
                .toList();
        assertEquals(List.of("invalid: 1 requests unanswered when the drain ended"), invalid);
        assertEquals(code, cli.code(), cli.err());
        String junit = Files.readString(folder.resolve("junit.xml"));
        assertFalse(junit.contains("<error"), junit);
    }

    /** It has one answer, and p90 takes ten. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aWindowThatIsLeftOutMakesTheRunNeitherInvalidNorFail() throws Exception {
        Cli cli = compareWithOneWindowInvalid(1, "100000", "--duration=3s", "--fail-if=p90>60s");
        assertLeavesOneOut("no difference", ExitCode.GOOD, cli);
        String junit = Files.readString(folder.resolve("junit.xml"));
        assertTrue(junit.contains(" not p90") && !junit.contains("<failure"), junit);
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aServerThatIsWorseIsSoBesideAnInvalidWindow() throws Exception {
        assertLeavesOneOut("worse", ExitCode.ERRORS, compareWithOneWindowInvalid(10, "5", "--duration=50ms"));
    }

    @Test
    void anInvalidWindowCountsWhereNoOthersDecide() throws Exception {
        try (TestServer a = server();
                TestServer b = new TestServer(new HoldsOne(1))) {
            Cli cli = Cli.run(
                    "http",
                    "--budget=1ms",
                    "-c=1",
                    "--warmup=0s",
                    "--duration=1s",
                    "--drain=150ms",
                    "--progress=none",
                    "--label=a,b",
                    a.url("/"),
                    b.url("/"));
            assertTrue(last(cli).startsWith("verdict: undecided in 1 of 1"), cli.out());
            assertEquals(ExitCode.INVALID, cli.code(), cli.err());
        }
    }

    /** A margin that no noise exceeds, so that the same server is the same after the fewest rounds. */
    @Test
    void roundsEndWhenAllIsDecided() throws Exception {
        Cli cli = run("10m", "100000", "http");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertEquals("verdict: no difference in 1 of 1", last(cli));
        RunFile run = RunFile.read(folder.resolve("run.json"));
        List<String> order =
                run.cells().stream().limit(4).map(CellResult::label).toList();
        assertEquals(List.of("a", "b", "b", "a"), order, "rounds are interleaved");
        assertTrue(run.endedWhenDecided());
        assertEquals("a", run.plan().get(RunFile.CONTROL));
        Cli again = Cli.run("compare", "--margin=100000", folder + "#a", folder + "#b");
        assertEquals("verdict: no difference in 1 of 1", last(again));
    }

    private Cli startIn(int seconds) throws Exception {
        return run("10s", "100000", "http", "--start-at=" + Instant.now().plusSeconds(seconds));
    }

    /** Its first round seemed to take as long as the wait, so that no second one fitted. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theWaitForTheStartIsNoneOfTheBudget() throws Exception {
        Cli cli = startIn(7);
        // A machine that is too busy has missed the moment, and has measured nothing.
        for (int seconds = 14; cli.code() == ExitCode.USAGE && seconds < 60; seconds *= 2) {
            cli = startIn(seconds);
        }
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertEquals("verdict: no difference in 1 of 1", last(cli));
        int cells = RunFile.read(folder.resolve("run.json")).cells().size();
        assertTrue(cells >= 16, cells + " cells");
    }

    @Test
    void whatTheBudgetDoesNotDecideStaysUndecided() throws Exception {
        Cli cli = run("1ms", "5", "http");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertTrue(last(cli).startsWith("verdict: undecided in 1 of 1 (c=1 GET ka=on /: throughput "), cli.out());
        assertEquals(2, RunFile.read(folder.resolve("run.json")).cells().size(), "one round");
    }

    @Test
    void compareMeasuresTwoUrls() throws Exception {
        Cli cli = run("10m", "100000", "compare");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertEquals("verdict: no difference in 1 of 1", last(cli));
    }

    @Test
    void theComparisonOfTwoUrlsIsWritten() throws Exception {
        Path json = folder.resolve("new/c.json");
        Path markdown = folder.resolve("c.md");
        Cli cli = run("10m", "100000", "compare", "--json=" + json, "--markdown=" + markdown);
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        JsonNode root = new ObjectMapper().readTree(json.toFile());
        assertEquals("verdict: no difference in 1 of 1", root.get("summary").asText());
        assertTrue(root.get("a").asText().matches("http://127.0.0.1:\\d+/"), root.toString());
        JsonNode throughput = root.at("/cells/0/figures/0");
        assertEquals("throughput", throughput.get("figure").asText());
        // On a busy machine one figure may stay undecided, where the other has decided.
        List<String> verdicts = root.at("/cells/0").findValuesAsText("verdict");
        assertTrue(verdicts.contains("no difference"), root.toString());
        assertTrue(throughput.get("repetitions").asInt() >= 8, root.toString());
        assertTrue(Files.readString(markdown).contains("A is `" + root.get("a").asText() + "`"));
    }

    @Test
    void aComparisonIsOfTwoUrlsWithABudget() {
        for (List<String> wrong : List.of(
                List.of("http", "--comparison-json=c.json", "http://127.0.0.1:1/", "http://127.0.0.1:2/"),
                List.of(
                        "http",
                        "--comparison-json=c.json",
                        "--budget=1s",
                        "http://[::1]:1/",
                        "http://[::1]:2/",
                        "http://[::1]:3/"),
                List.of("compare", "--metric=p50", "http://127.0.0.1:1/", "http://127.0.0.1:2/"))) {
            assertEquals(ExitCode.USAGE, Cli.run(wrong.toArray(String[]::new)).code(), wrong.toString());
        }
    }

    @Test
    void aRunIsNotComparedWithAUrl() {
        for (List<String> pair :
                List.of(List.of("http://127.0.0.1:1/", "out"), List.of("out", "https://127.0.0.1:1/"))) {
            Cli cli = Cli.run("compare", pair.get(0), pair.get(1));
            assertEquals(ExitCode.USAGE, cli.code());
            assertTrue(cli.err().startsWith("loadclient: two runs are compared, or two URLs, and not one"), cli.err());
        }
    }

    @Test
    void aBudgetNeedsServersToCompare() {
        for (List<String> wrong : List.of(
                List.of("http", "--budget=1s", "http://127.0.0.1:1/"),
                List.of("http", "--budget=0s", "http://127.0.0.1:1/", "http://127.0.0.1:2/"),
                List.of("http", "--budget=1s", "--margin=0", "http://127.0.0.1:1/", "http://127.0.0.1:2/"),
                List.of("http", "--budget=1s", "--repeat=3", "http://127.0.0.1:1/", "http://127.0.0.1:2/"))) {
            Cli cli = Cli.run(wrong.toArray(String[]::new));
            assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        }
    }
}
