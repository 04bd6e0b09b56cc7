package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.HeldPort;
import dev.millrace.load.TestServer;
import dev.millrace.load.host.LocalPorts;
import dev.millrace.load.http.Target;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.scenario.UuidWorkload;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The options of a run: repetition, order, variants, servers and ports. */
class RunOptionsTest {

    private static final List<Integer> CELLS = List.of(1, 2, 3, 4, 5, 6);

    @TempDir
    private Path folder;

    @Test
    void cellsRunInTheChosenOrder() {
        assertEquals(CELLS, new Schedule(2, Schedule.Order.FIXED, 1).block(1, CELLS));
        assertEquals(CELLS, new Schedule(2, Schedule.Order.ABBA, 1).block(0, CELLS));
        assertEquals(List.of(6, 5, 4, 3, 2, 1), new Schedule(2, Schedule.Order.ABBA, 1).block(1, CELLS));
        Schedule random = new Schedule(9, Schedule.Order.RANDOM, 7);
        assertEquals(random.block(3, CELLS), random.block(3, CELLS), "the same seed, the same order");
        Set<List<Integer>> orders = new HashSet<>();
        Set<List<Integer>> ordersOfTwo = new HashSet<>();
        for (int block = 0; block < 9; block++) {
            assertEquals(new HashSet<>(CELLS), new HashSet<>(random.block(block, CELLS)));
            orders.add(random.block(block, CELLS));
            ordersOfTwo.add(random.block(block, List.of(1, 2)));
        }
        assertTrue(orders.size() > 1);
        assertEquals(2, ordersOfTwo.size(), "first numbers of java.util.Random are alike for neighbouring seeds");
        assertNotEquals(random.block(0, CELLS), new Schedule(9, Schedule.Order.RANDOM, 8).block(0, CELLS));
    }

    @Test
    void variantsAreMeasuredInTurnsAndAggregated() throws IOException {
        try (TestServer a = new TestServer(TestServer::answerUuids);
                TestServer b = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=1,2",
                    "-n=10",
                    "--warmup=0s",
                    "--label=A,B",
                    "--repeat=3",
                    "--order=abba",
                    "-o",
                    folder.toString(),
                    a.url("/generate-uuid"),
                    b.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(4, cli.outLines().size(), cli.out());
            assertTrue(cli.outLines().get(0).matches("A c=1 .* req/s \u00b1[0-9.]+% .*"), cli.out());
            List<String> order = RunFile.read(folder.resolve("run.json")).cells().stream()
                    .map(cell -> cell.label() + cell.parameters().get("clients") + cell.repetition())
                    .toList();
            assertEquals(
                    List.of("A10", "B10", "A20", "B20", "B21", "A21", "B11", "A11", "A12", "B12", "A22", "B22"), order);
            assertEquals(60, a.requests().size());
            assertEquals(60, b.requests().size());
        }
    }

    @Test
    void urlsOfOneServerHaveNamesOfTheirOwn() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run("uuid", "-c=1", "-n=5", "--warmup=0s", "--repeat=2", server.url("/a"), server.url("/b"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            String authority = server.url("").substring("http://".length());
            assertEquals(
                    List.of(authority + "/a", authority + "/b"),
                    cli.outLines().stream().map(line -> line.split(" ")[0]).toList(),
                    cli.out());
        }
    }

    @Test
    void variantsHaveShortDifferentNames() {
        assertEquals(List.of(""), labels("http://127.0.0.1:1/a"));
        assertEquals(List.of("127.0.0.1:1", "127.0.0.1:2"), labels("http://127.0.0.1:1/a", "http://127.0.0.1:2/b"));
        assertEquals(
                List.of("127.0.0.1:1/a?x=1", "127.0.0.1:1/a?x=2", "127.0.0.1:2/"),
                labels("http://127.0.0.1:1/a?x=1", "http://127.0.0.1:1/a?x=2", "http://127.0.0.1:2"));
        assertEquals(
                List.of("127.0.0.1:1/a", "127.0.0.1:1/a (2)", "127.0.0.1:1/b", "127.0.0.1:1/a (3)"),
                labels("http://127.0.0.1:1/a", "http://127.0.0.1:1/a", "http://127.0.0.1:1/b", "http://127.0.0.1:1/a"));
        assertEquals(
                List.of("127.0.0.1:1/a", "127.0.0.1:1/b"),
                labels("http://me:secret@127.0.0.1:1/a", "http://127.0.0.1:1/b"),
                "no password");
    }

    private static List<String> labels(String... urls) {
        return new RunOptions().labels(Stream.of(urls).map(Target::of).toList());
    }

    @Test
    void tooManyClientsForThePortsAreRefusedBeforehand() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run("uuid", "-c=100000", server.url("/generate-uuid"));
            assertEquals(ExitCode.INVALID, cli.code());
            assertTrue(cli.err().contains("100,000 clients need as many local ports"), cli.err());
            assertTrue(cli.err().contains("--source-ip"), cli.err());
            assertEquals(0, server.requests().size());
        }
    }

    @Test
    void aRateOfConnectionsThatUsesUpThePortsIsForeseen() {
        UuidWorkload closing = new UuidWorkload(
                Target.of("http://127.0.0.1:9/"),
                new UuidWorkload.Settings("GET", false, "RANDOM", 1, null, List.of(), UuidWorkload.Check.FULL));
        LocalPorts ports = new LocalPorts(28_232, 60);
        List<String> refusals = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        Preflight.check(new Cell("", 8, 450, 0, closing), ports, 1, refusals, notes);
        assertEquals(List.of(), notes);
        Preflight.check(new Cell("", 8, 500, 0, closing), ports, 1, refusals, notes);
        assertTrue(
                notes.get(0)
                        .startsWith(
                                "500 connections/s, closed per request: if the server leaves closing to the client"),
                notes.toString());
        assertTrue(notes.get(0).contains("at most 471/s"), notes.toString());
        notes.clear();
        Preflight.check(new Cell("", 8, 500, 0, closing), ports, 2, refusals, notes);
        assertEquals(List.of(), notes, "a second address doubles them");
        Preflight.check(new Cell("", 8, 0, 0, closing), ports, 1, refusals, notes);
        assertTrue(notes.get(0).contains("471 connections/s"), notes.toString());
        assertEquals(List.of(), refusals, "a server that closes first keeps the ports: it may well do");
    }

    @Test
    void sourceAddressesTakeTurns() throws IOException {
        Set<String> seen = java.util.concurrent.ConcurrentHashMap.newKeySet();
        try (TestServer server = new TestServer((request, out, socket) -> {
            seen.add(socket.getInetAddress().getHostAddress());
            TestServer.answerUuids(request, out, socket);
        })) {
            Cli cli = Cli.run(
                    "uuid",
                    "-c=3",
                    "-n=60",
                    "--warmup=0s",
                    "--source-ip=127.0.0.1",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(Set.of("127.0.0.1"), seen);
        }
        assertEquals(
                List.of("/127.0.0.7", "/127.0.0.8", "/127.0.0.9"),
                SourceAddresses.parse("127.0.0.7-127.0.0.9").stream()
                        .map(Object::toString)
                        .toList());
        assertEquals(2, SourceAddresses.parse("127.0.0.1-2").size());
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void theServerIsStartedAnewForEachRepetition() throws IOException {
        startedTwice(RunOptionsTest::oneUuidServer);
        RunFile run = RunFile.read(folder.resolve("run.json"));
        assertEquals(2, run.cells().size());
        assertTrue(run.environment().get("server process").contains(OneUuidServer.class.getSimpleName()));
        assertTrue(Files.exists(folder.resolve("server.log")));
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aServerThatDoesNotStartAgainLosesNoResults() throws IOException {
        Path marker = folder.resolve("started");
        Cli cli = measureTwice(port -> {
            Path script = Files.writeString(
                    folder.resolve("once.sh"),
                    "test -e '" + marker + "' && echo no second time && " + "exit 1\ntouch '" + marker + "'\nexec "
                            + oneUuidServer(port));
            return "/bin/sh '" + script + "'";
        });
        assertEquals(ExitCode.ERRORS, cli.code());
        String message = "the server ended before it listened: no second time";
        assertTrue(cli.err().endsWith("loadclient: " + message + System.lineSeparator()), cli.err());
        assertEquals(1, cli.outLines().size(), cli.out());
        RunFile run = RunFile.read(folder.resolve("run.json"));
        assertEquals(1, run.cells().size());
        assertEquals(message, run.plan().get("ended early"));
    }

    @Test
    void aFailureOfTheClientLosesNoResults() throws IOException {
        StringWriter err = new StringWriter();
        PrintWriter failing = new PrintWriter(err, true) {
            @Override
            public void println(String text) {
                if (text.startsWith("c=1 ")) {
                    throw new IllegalStateException("no room for this line");
                }
                super.println(text);
            }
        };
        Interruption interruption = new Interruption();
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            CommandLine line = Main.commandLine(interruption);
            line.setOut(new PrintWriter(new StringWriter()));
            line.setErr(failing);
            int code = line.execute(
                    "uuid",
                    "-c=1",
                    "-n=5",
                    "--warmup=0s",
                    "--repeat=2",
                    "--progress=none",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
            assertEquals(ExitCode.ERRORS, code);
        } finally {
            interruption.finished();
        }
        assertTrue(
                err.toString().endsWith("loadclient: no room for this line" + System.lineSeparator()), err.toString());
        assertEquals(1, RunFile.read(folder.resolve("run.json")).cells().size());
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aServerEndsWithTheScriptThatCallsIt() throws IOException {
        startedTwice(port -> {
            Path script = Files.writeString(folder.resolve("run.sh"), oneUuidServer(port) + "\necho done\n");
            return "/bin/sh '" + script + "'";
        });
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aServerCommandIsWhateverTheShellUnderstands() throws IOException {
        startedTwice(port -> "cd '" + folder + "' && NAME=value " + oneUuidServer(port));
    }

    /** Five requests of one client, written to the folder. */
    private Cli measure(String... words) {
        Stream<String> first = Stream.of("uuid", "-c=1", "-n=5", "--warmup=0s", "-o", folder.toString());
        return Cli.run(Stream.concat(first, Stream.of(words)).toArray(String[]::new));
    }

    /** The command of a server for a port. */
    private interface Command {

        String on(HeldPort port) throws IOException;
    }

    /** The command that starts a server on that port. */
    static String oneUuidServer(HeldPort port) {
        return "'" + Path.of(System.getProperty("java.home"), "bin", "java") + "' -cp '"
                + System.getProperty("java.class.path") + "' '" + OneUuidServer.class.getName() + "' " + port.number();
    }

    /** Measures two repetitions, and checks that the server has ended. */
    private void startedTwice(Command command) throws IOException {
        Cli cli = measureTwice(command);
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
    }

    /** Measures two repetitions, and checks that the server has ended, or was never there. */
    private Cli measureTwice(Command command) throws IOException {
        try (HeldPort port = new HeldPort()) {
            String url = "http://127.0.0.1:" + port.number() + "/generate-uuid";
            Cli cli = measure("--repeat=2", "--progress=none", "--server-cmd", command.on(port), url);
            assertEquals(List.of(), ProcessHandle.current().children().toList(), "nothing is left running");
            assertFalse(Target.accepts(Target.of(url).address(), 500), "the port is free");
            return cli;
        }
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aServerCommandThatFailsIsTheReason() {
        Cli cli = Cli.run("uuid", "--server-cmd", "echo no luck today", "-o", folder.toString(), "http://127.0.0.1:1/");
        assertEquals(ExitCode.ERRORS, cli.code());
        assertEquals(
                "loadclient: the server ended before it listened: no luck today",
                cli.err().strip());
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void aPortThatIsTakenIsNotMeasured() throws IOException {
        Path started = folder.resolve("started");
        try (TestServer other = new TestServer(TestServer::answerUuids)) {
            Cli cli = measure("--server-cmd", "touch '" + started + "'; sleep 60", other.url("/generate-uuid"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertTrue(
                    cli.err()
                            .matches("loadclient: something listens on 127.0.0.1:\\d+ already, so the server's "
                                    + "command was not started\\R"),
                    cli.err());
            assertFalse(Files.exists(started));
        }
    }

    @Test
    void aServerReportsItsCpuTime() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (request.target().equals("/stats")) {
                byte[] told = ("{\"cpuMillis\": " + 2000 * asked.incrementAndGet() + "}").getBytes(US_ASCII);
                TestServer.send(out, "200 OK", "application/json", told);
            } else {
                TestServer.answerUuids(request, out, socket);
            }
        })) {
            Cli cli = measure("--server-cpu-url", server.url("/stats"), server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            CellResult cell = RunFile.read(folder.resolve("run.json")).cells().get(0);
            assertEquals(2.0, cell.cpu().server(), "asked at both ends of the window");
            assertFalse(cell.cpu().serverElsewhere(), "127.0.0.1 is here");
            assertEquals(3, asked.get(), "and once before, whether it tells at all");
        }
    }

    @Test
    void aServerThatDoesNotReportItsCpuTimeIsNotMeasured() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            String status = asked.incrementAndGet() == 1 ? "200 OK" : "503 Service Unavailable";
            if (request.target().equals("/cpu")) {
                TestServer.send(out, status, "text/plain", "1.5".getBytes(US_ASCII));
            } else {
                TestServer.answerUuids(request, out, socket);
            }
        })) {
            Cli later = measure("--server-cpu-url", server.url("/cpu"), server.url("/generate-uuid"));
            assertEquals(ExitCode.GOOD, later.code());
            assertTrue(later.err().contains("note: the server's CPU time could not be read"), later.err());
            Cli never = measure("--server-cpu-url", server.url("/cpu"), server.url("/generate-uuid"));
            assertEquals(ExitCode.ERRORS, never.code());
            assertEquals(
                    "loadclient: cannot read the server's CPU time at " + server.url("/cpu") + ": status 503",
                    never.err().strip());
        }
    }

    /** A server for {@code --server-cmd}. */
    static final class OneUuidServer {

        private OneUuidServer() {}

        /** Listens on the given port until it is killed. */
        public static void main(String[] args) throws Exception {
            try (TestServer server = TestServer.onHeldPort(Integer.parseInt(args[0]), TestServer::answerUuids)) {
                Thread.currentThread().join();
            }
        }
    }
}
