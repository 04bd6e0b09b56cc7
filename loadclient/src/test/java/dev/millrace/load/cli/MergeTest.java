package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** {@code --start-at} and {@code report --merge}: several machines, here several processes, load one server together. */
class MergeTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int PROCESSES = 3;
    private static final int RATE = 30;
    /** Seconds. The processes have three times as many to start in. */
    private static final int LONGEST_WINDOW = 32;

    @TempDir
    private Path folder;

    private Cli merge(String... runs) {
        List<String> all = new ArrayList<>(
                List.of("report", "--merge", "-o", folder.resolve("sum").toString()));
        for (String run : runs) {
            all.add(folder.resolve(run).toString());
        }
        return Cli.run(all.toArray(String[]::new));
    }

    private CellResult cell(String run) throws IOException {
        return RunFile.read(folder.resolve(run).resolve(RunFile.NAME)).cells().get(0);
    }

    private void measure(String name, TestServer server, String... options) {
        List<String> all = new ArrayList<>(List.of("uuid", "-c=2", "-d=1s", "--warmup=0s", "-q"));
        all.addAll(List.of(options));
        all.addAll(List.of("-o", folder.resolve(name).toString(), server.url("/generate-uuid")));
        Cli cli = Cli.run(all.toArray(String[]::new));
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
    }

    /** Writes a run again, as another machine would have written it. */
    private void copy(String from, String to, Consumer<ObjectNode> change) throws IOException {
        ObjectNode run = (ObjectNode)
                JSON.readTree(folder.resolve(from).resolve(RunFile.NAME).toFile());
        change.accept(run);
        JSON.writeValue(
                Files.createDirectories(folder.resolve(to))
                        .resolve(RunFile.NAME)
                        .toFile(),
                run);
    }

    private static Consumer<ObjectNode> later(long millis) {
        return run -> {
            ObjectNode cell = (ObjectNode) run.at("/cells/0");
            cell.put("windowStartMillis", cell.get("windowStartMillis").asLong() + millis);
        };
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void ratesAndHistogramsAreAdded() throws IOException {
        try (TestServer server = new TestServer(TestServer.unhurried(TestServer::answerUuids))) {
            measure("a", server, "--seed=1");
        }
        copy("a", "b", later(1).andThen(run -> ((ObjectNode) run.get("plan")).put("seed", "2")));
        Cli cli = merge("a", "b");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertTrue(cli.out().contains("windows began 1 ms apart"), cli.out());
        assertTrue(cli.out().contains("how far apart their clocks are is not known"), cli.out());
        CellResult one = cell("a");
        CellResult sum = cell("sum");
        assertEquals("4", sum.parameters().get("clients"));
        assertEquals(2 * one.counts().requests(), sum.counts().requests());
        assertEquals(2 * one.requestsPerSecond(), sum.requestsPerSecond(), 1e-6 * sum.requestsPerSecond());
        Histogram twice = one.latencies();
        twice.setAutoResize(true);
        twice.add(one.latencies());
        assertEquals(twice, sum.latencies());
        assertEquals(one.times().latency().p99(), sum.times().latency().p99());
        Double server = one.cpu().server();
        if (server != null) {
            // Each client has watched the same server. The clients' own cores are added.
            assertEquals(server / one.windowSeconds(), sum.cpu().server() / sum.windowSeconds(), 1e-6);
            assertEquals(2 * one.cpu().client() / one.windowSeconds(), sum.cpu().client() / sum.windowSeconds(), 1e-6);
        }
        assertEquals("1; 2", RunFile.read(folder.resolve("sum/run.json")).plan().get("seed"));
        assertTrue(Files.exists(folder.resolve("sum/report.html")));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void errorsAreAddedAndAnInvalidPartMakesTheSumInvalid() throws IOException {
        try (TestServer server = new TestServer(TestServer.unhurried(TestServer::answerUuids))) {
            measure("a", server);
        }
        Consumer<ObjectNode> wrong = run -> {
            ObjectNode cell = (ObjectNode) run.at("/cells/0");
            cell.put("verdict", "errors")
                    .putObject("errors")
                    .putObject("reset")
                    .put("count", 2)
                    .put("first", "x");
        };
        copy("a", "b", later(1).andThen(wrong));
        copy("a", "c", later(2).andThen(wrong));
        assertEquals(ExitCode.ERRORS, merge("b", "c").code());
        assertEquals(4, cell("sum").errors().get("reset").count());
        assertEquals("errors", cell("sum").verdict());
        String disturbed = "invalid: other processes (40.0 %)";
        copy("a", "d", later(3).andThen(run -> ((ObjectNode) run.at("/cells/0")).put("verdict", disturbed)));
        assertEquals(ExitCode.INVALID, merge("a", "d").code());
        assertEquals(disturbed, cell("sum").verdict());
        assertEquals(ExitCode.ERRORS, merge("d", "b").code(), "a wrong answer is no disturbance");
        assertEquals("errors", cell("sum").verdict());
        for (String reason : List.of("ports", "stopped early")) {
            String stopped = "invalid: " + reason;
            copy("a", reason, later(4).andThen(run -> ((ObjectNode) run.at("/cells/0")).put("verdict", stopped)));
            assertEquals(ExitCode.INVALID, merge("b", "d", reason).code());
            assertEquals(stopped, cell("sum").verdict());
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void clocksOfMachinesAreLaidSideBySide() throws IOException {
        try (TestServer server = new TestServer(TestServer.unhurried(TestServer::answerUuids))) {
            measure("one", server);
        }
        copy("one", "a", run -> ((ObjectNode) run.get("environment")).put("server clock ahead", "-20 to 20 ms"));
        copy(
                "one",
                "b",
                later(60_000)
                        .andThen(run -> ((ObjectNode) run.get("environment"))
                                .put("server clock ahead", "-60010 to -59990 ms")));
        Cli cli = merge("a", "b");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertTrue(cli.out().contains("windows began 0 ms apart and have 100.0 % in common"), cli.out());
        assertTrue(cli.out().contains("their clocks are 60000 ms apart, give or take 40 ms"), cli.out());
    }

    /** As one far away, asked dozens of times while there is time. A busy machine finds none, or hears too late: once more. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aSlowServerTellsItsClockAndDelaysNoStart() throws IOException {
        Map<String, String> environment = Map.of();
        try (TestServer server = new TestServer(MergeTest::answerWithDate)) {
            for (int tries = 0; tries < 5 && !tellsClockAndStart(environment); tries++) {
                measure("a", server, "--start-at=" + Instant.now().plusSeconds(7));
                environment = RunFile.read(folder.resolve("a/run.json")).environment();
            }
        }
        assertTrue(tellsClockAndStart(environment), environment.toString());
        copy("a", "b", later(1));
        Cli cli = merge("a", "b");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertTrue(cli.out().contains("their clocks are 0 ms apart, give or take "), cli.out());
    }

    private static boolean tellsClockAndStart(Map<String, String> environment) {
        String clock = environment.getOrDefault("server clock ahead", "");
        String start = environment.getOrDefault("start", "");
        return clock.endsWith(" ms") && Long.parseLong(start.replaceFirst(".* noticed after (\\d+) ms", "$1")) < 5000;
    }

    /** Answers a plain GET after a while. */
    private static void answerWithDate(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
        if (request.target().contains("count=")) {
            TestServer.unhurried(TestServer::answerUuids).answer(request, out, socket);
            return;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(Instant.now().atZone(ZoneOffset.UTC));
        out.write(("HTTP/1.1 200 OK\r\nDate: " + date + "\r\nContent-Length: 0\r\n\r\n").getBytes(US_ASCII));
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void runsThatDoNotBelongTogetherAreRefused() throws IOException {
        try (TestServer server = new TestServer(TestServer.unhurried(TestServer::answerUuids));
                TestServer other = new TestServer(TestServer.unhurried(TestServer::answerUuids))) {
            measure("a", server);
            measure("post", server, "-m=POST");
            measure("timeout", server, "--timeout=20s");
            measure("unverified", server, "--verify=none");
            measure("named", server, "--name=x");
            measure("elsewhere", other);
        }
        copy("a", "late", later(60_000));
        copy("a", "old", run -> ((ObjectNode) run.at("/cells/0")).remove("windowStartMillis"));
        copy("a", "early", run -> ((ObjectNode) run.get("plan")).put("ended early", "no luck"));
        refused("one run is not merged", "a");
        refused("one is given twice", "a", "a");
        refused("cells [POST", "a", "post");
        refused("timeout 20s, not 30s", "a", "timeout");
        refused("verified none, not full", "a", "unverified");
        refused("name x, not null", "a", "named");
        refused("run 2: UUID service", "a", "elsewhere");
        refused("have 0 % in common, and began 60000 ms apart", "a", "late");
        refused("it is not known when its windows began", "a", "old");
        refused("not all cells were measured", "a", "early");
        assertFalse(Files.exists(folder.resolve("sum")), "nothing is written");
    }

    /** What neither the names of cells show, nor the settings that all commands have. */
    @Test
    void requestsThatDifferDoNotBelongTogether() throws IOException {
        try (TestServer server = new TestServer(
                (request, out, socket) -> TestServer.send(out, "200 OK", "text/plain", "{}".getBytes(US_ASCII)))) {
            request("a", server);
            request("fields", server, "-H=Accept-Encoding: gzip");
            request("resume", server, "--tls-resume=off");
            request("checked", server, "--expect-json=");
            request("field", server, "--expect-header=Content-Type");
            request("body", server, "-m=GET", "--body=abc");
            request("longer", server, "-m=GET", "--body=abcd");
            request("mix", server, "--url=1 /a", "--url=1 /b");
            request("other mix", server, "--url=9 /a", "--url=1 /b");
            request("short", server, "-d=5s");
            request("long", server, "-d=50s");
        }
        refused("request fields Accept-Encoding, not null", "a", "fields");
        refused("TLS no resumption, not null", "a", "resume");
        refused("expected body JSON ", "a", "checked");
        refused("expected fields Content-Type, not null", "a", "field");
        refused("request body 4 bytes, ", "body", "longer");
        refused("URLs 9 /a, 1 /b, not 1 /a, 1 /b", "mix", "other mix");
        refused("window 2 requests, at most 50s, not 2 requests, at most 5s", "short", "long");
    }

    private void request(String name, TestServer server, String... options) {
        List<String> all = new ArrayList<>(List.of("http", "-c=1", "-n=2", "--warmup=0s", "-q"));
        all.addAll(List.of(options));
        all.addAll(List.of("-o", folder.resolve(name).toString(), server.url("/")));
        Cli cli = Cli.run(all.toArray(String[]::new));
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aSumTakesThePlaceOfNoRun() throws IOException {
        try (TestServer server = new TestServer(TestServer.unhurried(TestServer::answerUuids))) {
            measure("a", server);
        }
        copy("a", "b", later(1));
        String b = folder.resolve("b").toString();
        Cli cli = Cli.run("report", "--merge", "-o", b, folder.resolve("a").toString(), b);
        assertEquals(ExitCode.USAGE, cli.code(), cli.out());
        assertTrue(cli.err().startsWith("loadclient: --merge: the sum would take the place of " + b), cli.err());
        assertEquals(cell("a").parameters(), cell("b").parameters());
    }

    private void refused(String reason, String... runs) {
        Cli cli = merge(runs);
        assertEquals(ExitCode.USAGE, cli.code(), cli.out());
        assertTrue(
                cli.err().startsWith("loadclient: the runs do not belong together: ")
                        && cli.err().contains(reason),
                cli.err());
    }

    /**
     * By the clock, so that the number of requests is known, and the merged one is that of one process. A machine that is
     * too busy ends a window late, or misses the moment at which it begins: then all is measured again, behind a missed
     * moment with more time and longer windows.
     */
    @Test
    @Timeout(450)
    void threeProcessesMeasureWhatOneDoes() throws Exception {
        try (TestServer server = new TestServer(MergeTest::answer)) {
            String url = server.url("/generate-uuid");
            Instant begin = Instant.now();
            int window = 2;
            boolean areMeasured = false;
            while (!areMeasured) {
                Cli sum = together(window, url);
                if (sum.code() == ExitCode.USAGE && window < LONGEST_WINDOW) {
                    window = 2 * window;
                    continue;
                }
                Cli one = alone(window, url);
                assertTrue(sum.code() == ExitCode.GOOD || sum.code() == ExitCode.INVALID, sum.err());
                assertTrue(one.code() == ExitCode.GOOD || one.code() == ExitCode.INVALID, one.err());
                areMeasured = !hasLateEnd(window) || begin.plusSeconds(150).isBefore(Instant.now());
            }
        }
        CellResult sum = cell("sum");
        CellResult one = cell("one");
        assertEquals(one.parameters(), sum.parameters());
        assertOwed(one);
        long requests = 0;
        Histogram latencies = new Histogram(sum.latencies());
        latencies.reset();
        for (int i = 0; i < PROCESSES; i++) {
            CellResult part = cell(Integer.toString(i));
            assertOwed(part);
            requests += part.counts().requests();
            latencies.add(part.latencies());
        }
        assertEquals(requests, sum.counts().requests());
        assertEquals(requests, sum.latencies().getTotalCount());
        assertEquals(latencies, sum.latencies());
        assertOwed(sum);
    }

    private Cli alone(int window, String url) {
        return Cli.run(arguments("one", url, PROCESSES, window, "--rate=" + RATE * PROCESSES));
    }

    private boolean hasLateEnd(int window) throws IOException {
        for (String name : List.of("0", "1", "2", "one")) {
            if (cell(name).windowSeconds() > window + 1.0 / RATE) {
                return true;
            }
        }
        return false;
    }

    /**
     * By the clock, a client owes a number of requests in its window, and they count whenever the answers come. Each end
     * of the window may fall before or behind one.
     */
    private static void assertOwed(CellResult cell) {
        double owed = Double.parseDouble(cell.parameters().get("rate")) * cell.windowSeconds();
        int clients = Integer.parseInt(cell.parameters().get("clients"));
        double requests = cell.counts().requests() + (double) cell.counts().unsent();
        assertEquals(owed, requests, 2 * clients, cell.toString());
    }

    /** The clients ask for the Date too, by a plain GET, which gets no answer here. */
    private static void answer(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
        if (request.target().contains("count=")) {
            TestServer.answerUuids(request, out, socket);
        } else {
            socket.close();
        }
    }

    private String[] arguments(String name, String url, int clients, int seconds, String... options) {
        List<String> all =
                new ArrayList<>(List.of("uuid", "-c=" + clients, "-d=" + seconds + "s", "--warmup=1s", "-q"));
        all.addAll(List.of(options));
        all.addAll(List.of("-o", folder.resolve(name).toString(), url));
        return all.toArray(String[]::new);
    }

    private Cli together(int window, String url) throws Exception {
        Instant start = Instant.now().plus(Duration.ofSeconds(3L * window));
        List<Process> clients = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    // It ends in a moment.
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Main.class.getName()));
            command.addAll(List.of(arguments(
                    Integer.toString(i), url, 1, window, "--rate=" + RATE, "--seed=" + i, "--start-at=" + start)));
            clients.add(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve(i + ".log").toFile())
                    .start());
        }
        for (Process client : clients) {
            client.waitFor();
        }
        return merge("0", "1", "2");
    }
}
