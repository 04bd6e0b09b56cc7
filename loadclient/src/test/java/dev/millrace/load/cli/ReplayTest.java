package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.FakeWar;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Short replays against a stand-in for the sample application. */
class ReplayTest {

    private static final Set<String> WINDOW_TOO_SHORT =
            Set.of("invalid: no download ended in the window", "invalid: nothing completed");
    private static final boolean VIRTUAL = Runtime.version().feature() >= 21;

    @TempDir
    private Path folder;

    private Cli replay(String war, String... args) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "replay",
                "--war",
                FakeWar.in(folder, war).toString(),
                "-o",
                folder.resolve("out").toString(),
                "--progress=none"));
        all.addAll(List.of(args));
        Cli cli = Cli.run(all.toArray(String[]::new));
        assertEquals(List.of(), ProcessHandle.current().children().toList(), "nothing is left running");
        return cli;
    }

    private RunFile run(String name) throws IOException {
        return RunFile.read(folder.resolve("out").resolve(name).resolve("run.json"));
    }

    /** A jar that exists, but cannot be started. */
    private String peersJar() throws IOException {
        return "--peers-jar=" + Files.write(folder.resolve("peers.jar"), new byte[0]);
    }

    private static long servers(Cli dryRun) {
        String plan = dryRun.outLines().stream()
                .filter(line -> line.startsWith("plan: "))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(plan.replaceFirst(".* cells on (\\d+) servers.*", "$1"));
    }

    /**
     * Checks that no cell has errors. On a slow machine a window may be too short, which must be noted with the cell.
     */
    private void assertMeasured(Cli cli, String... names) throws IOException {
        boolean isShort = false;
        for (String name : names) {
            for (CellResult cell : run(name).cells()) {
                assertEquals(Map.of(), cell.errors(), cell.label());
                boolean isValid = cell.valid();
                assertTrue(isValid || WINDOW_TOO_SHORT.contains(cell.verdict()), cell.label() + ": " + cell.verdict());
                isShort |= !isValid;
            }
        }
        assertEquals(isShort ? ExitCode.INVALID : ExitCode.GOOD, cli.code(), cli.err());
    }

    @Test
    void cowtownIsMeasuredBesideItsFigures() throws IOException {
        Cli cli = replay("good.war", "--scale=0.02", "--repeat=2", "cowtown");
        assertMeasured(cli, "cowtown");
        List<String> lines = cli.outLines();
        assertTrue(lines.get(0).startsWith("UUID web service over XML"), cli.out());
        String plan =
                "plan: quick, " + (VIRTUAL ? 19 : 18) + " cells on " + (VIRTUAL ? 5 : 4) + " servers, 2 times, about ";
        assertTrue(lines.stream().anyMatch(line -> line.startsWith(plan)), cli.out());
        assertTrue(cli.out().contains("\ntime-based instead of random"), cli.out());
        assertTrue(cli.out().contains("\nClaims made then\n"), cli.out());
        assertTrue(
                lines.stream()
                                .filter(line -> line.matches(".* (holds|does not hold today|undecided) .*"))
                                .count()
                        >= 12,
                cli.out());
        RunFile run = run("cowtown");
        assertEquals(2, run.experiment().quick().repeats(), "the lengths that ran, not those of the description");
        assertEquals(
                "2 on servers started once: the intervals do not hold the luck of a start",
                run.plan().get("repetitions"));
        assertEquals("18ms", run.plan().get("window"));
        assertEquals("120ms, longer until the JIT compilers rest", run.plan().get("warm-up of a server"));
        assertTrue(run.command().startsWith("loadclient replay --war "), run.command());
        Map<Integer, List<String>> order = run.cells().stream()
                .collect(Collectors.groupingBy(
                        CellResult::repetition,
                        Collectors.mapping(cell -> cell.label() + cell.parameters(), Collectors.toList())));
        assertEquals(order.get(0).size(), order.get(1).size());
        assertFalse(order.get(0).equals(order.get(1)), "another order in each block");
        assertEquals(
                order.get(0).stream().sorted().toList(),
                order.get(1).stream().sorted().toList());
        Path page = folder.resolve("page.md");
        assertEquals(
                ExitCode.GOOD,
                Cli.run(
                                "report",
                                "--markdown",
                                page.toString(),
                                folder.resolve("out/cowtown").toString())
                        .code());
        String text = Files.readString(page);
        assertTrue(text.contains("| random, 10 threads, request log | 830 | "), text);
        assertTrue(text.contains("### Claims made then"), text);
        assertEquals(ExitCode.USAGE, Cli.run("report", "a", "b").code());
        String out = folder.resolve("out/cowtown").toString();
        Cli agreement = Cli.run("report", "--agree", out, out);
        assertEquals(ExitCode.GOOD, agreement.code(), agreement.err());
        assertTrue(agreement.out().contains("\ntime-based instead of random  "), agreement.out());
        assertEquals(ExitCode.USAGE, Cli.run("report", "--agree", out).code());
        Path json = folder.resolve("out/cowtown/run.json");
        String before = Files.readString(json);
        assertEquals(
                ExitCode.USAGE,
                Cli.run("report", "--markdown", json.toString(), json.toString())
                        .code());
        assertEquals(before, Files.readString(json));
    }

    @Test
    void missingServersAreLeftOutWithTheReason() throws IOException {
        Cli cli = replay(
                "good.war",
                "--scale=0.005",
                "--repeat=1",
                "--servers=SBA,Adaptive,tomcat,BIO-virtual",
                "--peers=tomcat",
                peersJar(),
                "minar");
        assertEquals("not asked for", run("minar").plan().get("left out: STOCK"));
        // In windows this short no throttled download may end, which makes its cell invalid.
        assertTrue(cli.code() != ExitCode.ERRORS, cli.err());
        Map<String, String> plan = run("minar").plan();
        assertTrue(plan.get("left out: Adaptive").contains("is no algorithm"), plan.toString());
        assertTrue(plan.get("left out: tomcat").startsWith("the server ended before it listened: "), plan.toString());
        assertEquals(!VIRTUAL, plan.containsKey("left out: BIO-virtual"));
        Row sba = run("minar").experiment().rows().get(0);
        CellResult measured = run("minar").cells().stream()
                .filter(cell ->
                        cell.label().equals(sba.server()) && cell.parameters().equals(sba.parameters()))
                .findFirst()
                .orElseThrow();
        assertTrue(measured.counts().bytes() > 0, measured.verdict());
    }

    /** A server that may be missing is left out, and here it is the only one. */
    @Test
    void aReplayInWhichNoServerStartsIsNoSuccess() throws IOException {
        Cli cli = replay(
                "good.war", "--scale=0.005", "--repeat=1", "--servers=tomcat", "--peers=tomcat", peersJar(), "minar");
        assertEquals(ExitCode.INVALID, cli.code(), cli.err());
        assertTrue(cli.err().contains("note: tomcat is left out: "), cli.err());
        assertEquals(List.of(), run("minar").cells());
        String page = Files.readString(folder.resolve("out/minar/report.html"));
        assertTrue(page.contains("<p class=\"bad\">Nothing was measured.</p>"), page);
    }

    @Test
    void wrongBytesAreErrors() throws IOException {
        Cli cli = replay("broken.war", "--scale=0.005", "--repeat=1", "--servers=BIO", "bhargava");
        assertEquals(ExitCode.ERRORS, cli.code());
        assertTrue(cli.err().contains("wrong content x "), cli.err());
        assertTrue(
                cli.outLines().stream().anyMatch(line -> line.matches(".* \\d+ errors(, \\d+ unanswered)?")),
                cli.err());
    }

    @Test
    void failuresInAWarmUpAreNoRepetition() throws IOException {
        replay("broken.war", "--scale=0.005", "--repeat=1", "--servers=SBA", "minar");
        RunFile run = run("minar");
        assertEquals(0, run.experiment().quick().rehearsal(), "nothing else has a negative number");
        run.cells().stream()
                .collect(Collectors.groupingBy(cell -> cell.label() + cell.parameters() + cell.repetition()))
                .forEach((cell, results) -> assertTrue(cell.endsWith("-1") || results.size() == 1, cell));
        assertTrue(run.cells().stream().anyMatch(cell -> cell.repetition() == -1));
    }

    @Test
    void messagesAndPipelinedFilesAreMeasured() throws IOException {
        Cli cli = replay("good.war", "--scale=0.005", "--repeat=1", "--servers=BIO", "mina", "undertow");
        assertMeasured(cli, "mina", "undertow");
        assertTrue(run("mina").cells().stream()
                .anyMatch(cell -> cell.countsBytes() && cell.counts().bytes() > 0));
        assertTrue(run("undertow").cells().stream()
                .anyMatch(cell -> cell.parameters().get("work").contains("pipeline=16")
                        && cell.counts().requests() % 16 == 0));
    }

    @Test
    void theLongFormStartsServersAnew() throws IOException {
        Cli cli = replay(
                "good.war", "--full", "--max-steal=100", "--scale=0.005", "--repeat=2", "--servers=NIO", "undertow");
        assertMeasured(cli, "undertow");
        RunFile run = run("undertow");
        assertEquals(2, run.experiment().full().starts());
        assertEquals("2, servers started anew for each one", run.plan().get("repetitions"));
        assertEquals(
                Set.of(0, 1), run.cells().stream().map(CellResult::repetition).collect(Collectors.toSet()));
        assertTrue(Files.readString(folder.resolve("out/undertow/report.html"))
                .contains("Intervals have one value for each of 2 starts of the servers."));
    }

    @Test
    void aSpentBudgetEndsAfterThePlannedRounds() throws IOException {
        Cli cli = replay("good.war", "--scale=0.005", "--repeat=1", "--budget=1ms", "--servers=BIO,NIO", "undertow");
        assertMeasured(cli, "undertow");
        RunFile run = run("undertow");
        assertTrue(run.endedWhenDecided());
        assertEquals(
                "1ms for further rounds until the claims are decided",
                run.plan().get("budget"));
        assertEquals(Set.of(0), run.cells().stream().map(CellResult::repetition).collect(Collectors.toSet()));
        assertTrue(cli.outLines().get(cli.outLines().size() - 1).matches("Of \\d+ claims: .*"), cli.out());
    }

    @Test
    void thePlanIsPrintedFirst() throws IOException {
        Cli cli = replay("good.war", "--dry-run", "--full", "cowtown", "minar", "mina", "undertow", "bhargava");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        long seconds = cli.outLines().stream()
                .filter(line -> line.startsWith("plan: full"))
                .mapToLong(line ->
                        Units.duration(line.replaceFirst(".*about ", "")).toSeconds())
                .sum();
        assertTrue(seconds > 1800 && seconds < 3900, "all five take " + seconds + " s");
        Cli quick = replay("good.war", "--dry-run", "cowtown", "minar", "mina", "undertow", "bhargava");
        seconds = quick.outLines().stream()
                .filter(line -> line.startsWith("plan: quick"))
                .mapToLong(line ->
                        Units.duration(line.replaceFirst(".*about ", "")).toSeconds())
                .sum();
        assertTrue(seconds < 780, "all five take " + seconds + " s");
        assertFalse(Files.exists(folder.resolve("out")));
        Cli all = replay("good.war", "--dry-run", peersJar(), "--peers", "undertow");
        assertTrue(all.out().contains("File cache and sendfile"), all.out());
        long nginx = all.out().contains("- left out: nginx (nginx is not installed)") ? 0 : 1;
        assertEquals(servers(replay("good.war", "--dry-run", "undertow")) + 4 + nginx, servers(all), all.out());
    }

    @Test
    void aPeerMayHaveTheNameOfAnExperiment() throws IOException {
        Cli one = replay("good.war", "--dry-run", peersJar(), "--peers=undertow", "undertow");
        assertEquals(servers(replay("good.war", "--dry-run", "undertow")) + 1, servers(one), one.out());
        assertEquals(
                1,
                one.outLines().stream()
                        .filter(line -> line.startsWith("plan: "))
                        .count());
    }

    @Test
    void peersWithoutServletsMakeNoUuids() throws IOException {
        Cli cli = replay("good.war", "--dry-run", peersJar(), "--peers", "cowtown");
        assertTrue(cli.out().contains("- left out: nginx (it cannot do this work)"), cli.out());
        assertEquals(servers(replay("good.war", "--dry-run", "cowtown")) + 2, servers(cli), cli.out());
    }

    @Test
    void aServerThatDoesNotStartIsTheReason() throws IOException {
        Cli cli = replay("failing.war", "bhargava");
        assertEquals(ExitCode.ERRORS, cli.code());
        assertTrue(cli.err().contains("the server ended before it listened: no such thing as a free port"), cli.err());
    }

    @Test
    void aServerThatTellsNoUrlIsEnded() throws IOException {
        Cli cli = replay("nowhere.war", "--servers=BIO", "mina");
        assertEquals(ExitCode.ERRORS, cli.code());
        assertTrue(cli.err().endsWith("loadclient: BIO: not a URL: http://[/" + System.lineSeparator()), cli.err());
    }

    @Test
    void aServerThatDoesNotStartAgainLosesNoResults() throws IOException {
        Cli cli = replay(
                "once.war",
                "--full",
                "--max-steal=100",
                "--scale=0.005",
                "--repeat=2",
                "--servers=NIO,NIO gather",
                "undertow",
                "mina");
        assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
        String message = "NIO: the server ended before it listened: no such thing as a free port";
        assertTrue(cli.err().endsWith("loadclient: " + message + System.lineSeparator()), cli.err());
        RunFile run = run("undertow");
        assertEquals(message, run.plan().get("ended early"));
        assertEquals(Set.of(0), run.cells().stream().map(CellResult::repetition).collect(Collectors.toSet()));
        assertTrue(cli.out().contains("report: "), cli.out());
        assertFalse(Files.exists(folder.resolve("out/mina")), "what fails ends it all, as before the first result");
    }

    /** A name that is mistyped would be missed in the report only, which may take an hour. */
    @Test
    void eachServerThatIsNamedIsOneOfAnExperiment() throws IOException {
        Cli unknown = replay("good.war", "--dry-run", "--servers=BIO,NIOO", "undertow", "mina");
        assertEquals(ExitCode.USAGE, unknown.code(), unknown.out());
        assertTrue(unknown.err().startsWith("loadclient: --servers takes "), unknown.err());
        assertTrue(unknown.err().contains(", NIO, "), unknown.err());
        assertEquals("", unknown.out(), "nothing is planned");
        Cli known = replay("good.war", "--dry-run", "--servers=BIO,SBA", "minar", "mina");
        assertEquals(ExitCode.GOOD, known.code(), known.err());
    }

    /** What the second experiment lacks would be told behind the hour that the first one takes. */
    @Test
    void allExperimentsAreLookedAtBeforeTheFirstIsMeasured() throws IOException {
        Cli none = replay("good.war", "--dry-run", "--servers=SBA", "minar", "mina");
        assertEquals(ExitCode.USAGE, none.code(), none.out());
        assertTrue(none.err().startsWith("loadclient: mina: --servers takes "), none.err());
        assertTrue(none.err().contains("NIO gather"), none.err());
        assertEquals("", none.out(), "nothing is planned");
        Path file =
                Files.createFile(Files.createDirectories(folder.resolve("out")).resolve("mina"));
        Cli unwritable = replay("good.war", "--servers=BIO", "undertow", "mina");
        assertEquals(ExitCode.USAGE, unwritable.code(), unwritable.out());
        assertTrue(unwritable.err().startsWith("loadclient: cannot write to " + file + ": "), unwritable.err());
        assertEquals("", unwritable.out(), "nothing is measured");
    }

    @Test
    void wrongUsageIsOneLine() throws IOException {
        for (String[] args : new String[][] {
            {"nothing"},
            {"--quick", "--full", "mina"},
            {"--peers=iis", "mina"},
            {"--server-cmd=x", "mina"},
            {"--scale=0", "mina"},
            {"--repeat=-1", "mina"},
            {"--servers=x", "mina"},
            {"--servers=BIO,x", "mina"},
            {}
        }) {
            Cli cli = replay("good.war", args);
            assertEquals(ExitCode.USAGE, cli.code(), String.join(" ", args));
            assertEquals(1, cli.err().lines().count(), cli.err());
        }
        Cli missing = Cli.run("replay", "--war", folder.resolve("none.war").toString(), "mina");
        assertEquals(ExitCode.USAGE, missing.code());
        assertTrue(missing.err().startsWith("loadclient: no such file: "), missing.err());
        Path none = folder.resolve("none.jar");
        Cli peers = replay("good.war", "--dry-run", "--peers-jar=" + none, "--peers=jetty", "undertow");
        assertEquals(ExitCode.USAGE, peers.code(), peers.out());
        assertTrue(peers.err().startsWith("loadclient: no such file: " + none + " "), peers.err());
    }
}
