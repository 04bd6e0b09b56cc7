package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.report.ReportFolder;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Counts;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.FailureCount;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Series;
import dev.millrace.load.run.Times;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ratios are formed repetition by repetition, and an interval that contains the threshold decides nothing. */
class CompareTest {

    @TempDir
    private Path folder;

    static CellResult cell(String label, int repetition, long requests, double serverSeconds) {
        Percentiles times = new Percentiles(1000, 2, 1.0, 3.0, 4.0, 5.0, 6);
        return new CellResult(
                label,
                Map.of("clients", "8"),
                repetition,
                "closed",
                false,
                10.0,
                new Counts(requests, 0, 8, 0, 0, 0),
                Map.of(),
                new Times(times, null, times, times, times, null),
                List.of(),
                new CpuUse(serverSeconds, 1.0, 0.0, 1.0, 0.0, 0.0, null, null, false, null),
                new Series(List.of(), List.of(), List.of()),
                "",
                "ok",
                List.of());
    }

    private static CellResult with(
            CellResult cell, String clients, Map<String, FailureCount> errors, CpuUse cpu, String verdict) {
        return new CellResult(
                cell.label(),
                Map.of("clients", clients),
                cell.repetition(),
                cell.model(),
                false,
                cell.windowSeconds(),
                cell.counts(),
                errors,
                cell.times(),
                cell.sizes(),
                cpu,
                cell.series(),
                "",
                verdict,
                List.of());
    }

    private static CellResult with(CellResult cell, String clients, Map<String, FailureCount> errors, String verdict) {
        return with(cell, clients, errors, cell.cpu(), verdict);
    }

    private static CellResult wrong(CellResult cell) {
        return with(cell, "8", Map.of("reset", new FailureCount(2, "closed early")), "errors");
    }

    static CellResult invalid(CellResult cell) {
        return with(cell, "8", Map.of(), "invalid: stopped early");
    }

    static CellResult unknownCpu(CellResult cell) {
        return with(cell, "8", Map.of(), new CpuUse(null, 1.0, 0.0, 1.0, 0.0, 0.0, null, null, false, null), "ok");
    }

    private Cli compare(List<CellResult> a, List<CellResult> b, String... options) throws IOException {
        List<String> words = new ArrayList<>(List.of("compare"));
        words.addAll(List.of(options));
        words.addAll(List.of(run("a", a), run("b", b)));
        return Cli.run(words.toArray(String[]::new));
    }

    private String run(String name, List<CellResult> cells) throws IOException {
        Path file = folder.resolve(name);
        ReportFolder.write(RunFile.of(name, "", "", Map.of(), Map.of(), cells), file);
        return file.toString();
    }

    /** Cells with these requests per repetition, and the same CPU time per request. */
    private String run(String name, long... requests) throws IOException {
        List<CellResult> cells = new ArrayList<>();
        for (int i = 0; i < requests.length; i++) {
            cells.add(cell("", i, requests[i], requests[i] / 1000.0));
        }
        return run(name, cells);
    }

    @Test
    void aDriftThatBothSharedIsNoDifference() throws IOException {
        Cli cli = Cli.run("compare", run("a", 1000, 2000, 4000), run("b", 1010, 2020, 4040));
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertTrue(cli.out().contains("| throughput 1.010 [1.010, 1.010] of 3\n"), cli.out());
        assertTrue(cli.out().contains("| server CPU 1.000 [1.000, 1.000] of 3\n"), cli.out());
    }

    @Test
    void worseBeyondTheIntervalIsExitOne() throws IOException {
        Cli cli = Cli.run("compare", run("a", 1000, 2000, 4000), run("b", 900, 1800, 3600));
        assertEquals(ExitCode.ERRORS, cli.code());
        assertTrue(cli.out().contains("throughput 0.900 [0.900, 0.900] of 3 | worse"), cli.out());
        String a = folder.resolve("a").toString();
        String b = folder.resolve("b").toString();
        assertEquals(ExitCode.GOOD, Cli.run("compare", "--threshold=15%", a, b).code());
        assertEquals(ExitCode.GOOD, Cli.run("compare", "--metric=cpu", a, b).code());
    }

    @Test
    void theLastLineSaysItAll() throws IOException {
        String a = run("a", 1000, 1000, 1000);
        assertEquals("verdict: no difference in 1 of 1", last(Cli.run("compare", a, run("b", 1010, 1010, 1010))));
        assertEquals(
                "verdict: worse in 1 of 1 (c=8: throughput 0.90 [0.90, 0.90])",
                last(Cli.run("compare", a, run("b", 900, 900, 900))));
        assertEquals(
                "verdict: better in 1 of 1 (c=8: throughput 1.20 [1.20, 1.20])",
                last(Cli.run("compare", a, run("b", 1200, 1200, 1200))));
        Cli open = Cli.run("compare", "--metric=throughput", a, run("b", 800, 1300, 1000));
        assertEquals(ExitCode.GOOD, open.code());
        assertTrue(last(open).startsWith("verdict: undecided in 1 of 1 (c=8: throughput 1.01 ["), open.out());
    }

    private static String last(Cli cli) {
        return cli.outLines().get(cli.outLines().size() - 1);
    }

    @Test
    void serverCpuDecidesWhereThroughputCannot() throws IOException {
        String a = run("a", List.of(cell("", 0, 1000, 1), cell("", 1, 1000, 1)));
        String b = run("b", List.of(cell("", 0, 800, 0.8), cell("", 1, 1200, 1.2)));
        Cli cli = Cli.run("compare", a, b);
        assertEquals("verdict: no difference in 1 of 1", last(cli));
    }

    @Test
    void moreCellsNeedMoreEvidence() throws IOException {
        List<CellResult> a = new ArrayList<>();
        List<CellResult> b = new ArrayList<>();
        for (int repetition = 0; repetition < 4; repetition++) {
            for (int clients = 1; clients <= 12; clients++) {
                a.add(with(cell("", repetition, 1000, 1), "" + clients, Map.of(), "ok"));
                b.add(with(cell("", repetition, 820 + repetition * 20, 1), "" + clients, Map.of(), "ok"));
            }
        }
        List<CellResult> oneOfA =
                a.stream().filter(cell -> cell.parameters().containsValue("1")).toList();
        Cli one = compare(oneOfA, b, "--metric=throughput");
        assertEquals(ExitCode.ERRORS, one.code(), one.out());
        Cli twelve = compare(a, b, "--metric=throughput");
        assertEquals(ExitCode.GOOD, twelve.code(), twelve.out());
        assertTrue(last(twelve).startsWith("verdict: undecided in 12 of 12 "), twelve.out());
    }

    @Test
    void worseWithinTheIntervalIsExitZero() throws IOException {
        Cli cli = Cli.run("compare", run("a", 1000, 1000, 1000), run("b", 500, 1100, 1100));
        assertEquals(ExitCode.GOOD, cli.code(), cli.out());
    }

    @Test
    void anIntervalThatSaysNothingIsNotPrinted() throws IOException {
        Cli cli = Cli.run("compare", run("a", 1000, 1000), run("b", 3000, 300));
        assertTrue(cli.out().contains("| throughput 0.949 [too wide] of 2\n"), cli.out());
    }

    @Test
    void moreCpuIsWorse() throws IOException {
        String a = run("a", List.of(cell("", 0, 1000, 1), cell("", 1, 1000, 1)));
        String b = run("b", List.of(cell("", 0, 1000, 1.2), cell("", 1, 1000, 1.2)));
        Cli cli = Cli.run("compare", a, b);
        assertEquals(ExitCode.ERRORS, cli.code());
        assertTrue(cli.out().contains("server CPU 1.200 [1.200, 1.200] of 2 | worse"), cli.out());
    }

    @Test
    void variantsOfOneRunAndItsNoise() throws IOException {
        String run = run("all", List.of(cell("A", 0, 1000, 1), cell("A2", 0, 1020, 1), cell("B", 0, 1500, 1)));
        Cli cli = Cli.run("compare", "--noise", run + "#A2", run + "#A", run + "#B");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertTrue(
                cli.out().contains("throughput 1.500 [one run, no interval] | noise 1.020 [one run, no interval]"),
                cli.out());
    }

    @Test
    void errorsInBAreExitOneAndNoRatio() throws IOException {
        Cli cli = compare(List.of(cell("", 0, 1000, 1)), List.of(wrong(cell("", 0, 9000, 1))));
        assertEquals(ExitCode.ERRORS, cli.code());
        assertEquals(
                List.of(
                        "c=8" + " ".repeat(31) + " | B: errors: reset x 2 (closed early)",
                        "verdict: undecided in 1 of 1 (c=8: B: errors: reset x 2 (closed early))"),
                cli.outLines());
    }

    @Test
    void oneBadRepetitionOfBIsNamedAndLeftOut() throws IOException {
        List<CellResult> a = List.of(cell("", 0, 1000, 1), cell("", 1, 1000, 1), cell("", 2, 1000, 1));
        Cli cli = compare(a, List.of(cell("", 0, 1010, 1), wrong(cell("", 1, 10, 1)), cell("", 2, 1010, 1)));
        assertEquals(ExitCode.ERRORS, cli.code());
        assertTrue(cli.out().contains("| throughput 1.010 [1.010, 1.010] of 2\n"), cli.out());
        assertTrue(cli.out().contains(" | B, 1 of 3: errors: reset x 2 (closed early)\nverdict: "), cli.out());
    }

    @Test
    void invalidCellsAreExitThree() throws IOException {
        List<CellResult> a = List.of(cell("", 0, 1000, 1));
        Cli cli = compare(a, List.of(invalid(cell("", 0, 1000, 1))));
        assertEquals(ExitCode.INVALID, cli.code());
        assertTrue(cli.out().contains(" | B: invalid: stopped early\nverdict: undecided in 1 of 1 "), cli.out());
        Cli baseline = compare(List.of(invalid(cell("", 0, 1000, 1))), a);
        assertEquals(ExitCode.INVALID, baseline.code());
        assertTrue(baseline.out().contains(" | A: invalid: stopped early\nverdict: "), baseline.out());
        assertEquals(
                ExitCode.ERRORS,
                compare(List.of(wrong(cell("", 0, 1000, 1))), a).code());
    }

    @Test
    void aCellThatIsMissingInBIsExitOne() throws IOException {
        CellResult one = cell("", 0, 1000, 1);
        Cli cli = compare(List.of(one, with(one, "16", Map.of(), "ok")), List.of(one, with(one, "32", Map.of(), "ok")));
        assertEquals(ExitCode.ERRORS, cli.code());
        assertEquals(6, cli.outLines().size(), cli.out());
        assertTrue(cli.outLines().get(4).matches("c=16 +\\| B: missing"), cli.out());
    }

    @Test
    void aMissingDecidingFigureIsExitOne() throws IOException {
        CellResult one = cell("", 0, 1000, 1);
        Cli lost = compare(List.of(one), List.of(unknownCpu(one)));
        assertEquals(ExitCode.ERRORS, lost.code());
        assertTrue(lost.out().contains(" | B: no server CPU to compare with A's\n"), lost.out());
        assertEquals(
                ExitCode.GOOD,
                compare(List.of(one), List.of(unknownCpu(one)), "--metric=throughput")
                        .code());
        assertEquals(
                ExitCode.GOOD,
                compare(List.of(unknownCpu(one)), List.of(unknownCpu(one))).code(),
                "of a server elsewhere");
        Cli never = compare(List.of(unknownCpu(one)), List.of(unknownCpu(one)), "--metric=cpu");
        assertEquals(ExitCode.ERRORS, never.code());
        assertTrue(never.out().contains(" | A: no server CPU\n"), never.out());
    }

    @Test
    void severalVariantsAreComparedEachWithItself() throws IOException {
        List<CellResult> before = List.of(cell("BIO", 0, 1000, 1), cell("NIO", 0, 3000, 3));
        List<CellResult> after = List.of(cell("NIO", 0, 3030, 3), cell("BIO", 0, 500, 1));
        Cli cli = compare(before, after);
        assertEquals(ExitCode.ERRORS, cli.code());
        assertTrue(cli.out().contains("BIO c=8") && cli.out().contains("NIO c=8"), cli.out());
        List<String> throughput = cli.outLines().stream()
                .filter(line -> line.contains("| throughput"))
                .map(line -> line.substring(0, 3) + line.replaceFirst(".* throughput (\\S+) .*?(worse)?$", " $1 $2"))
                .toList();
        assertEquals(List.of("BIO 0.500 worse", "NIO 1.010 "), throughput);
        Cli some = compare(before, List.of(cell("NIO", 0, 3030, 3)));
        assertEquals(ExitCode.ERRORS, some.code());
        assertTrue(some.outLines().get(0).matches("BIO c=8 +\\| B: missing"), some.out());
        Cli one = compare(List.of(cell("BIO", 0, 1000, 1)), List.of(cell("NIO", 0, 1010, 1)));
        assertEquals(ExitCode.GOOD, one.code(), "one with one, whatever their labels are");
        assertTrue(one.out().startsWith("c=8 "), one.out());
    }

    @Test
    void variantsWithNothingInCommonAreAUsageError() throws IOException {
        List<CellResult> before = List.of(cell("BIO", 0, 1000, 1), cell("NIO", 0, 3000, 3));
        Cli cli = compare(before, List.of(cell("", 0, 1000, 1)));
        assertEquals(ExitCode.USAGE, cli.code());
        assertEquals(
                "loadclient: the runs have no variant in common (BIO, NIO; one without a name), name one of each by "
                        + "#LABEL (see loadclient compare --help)",
                cli.err().strip());
        assertEquals("", cli.out());
        String a = folder.resolve("a").toString();
        String b = folder.resolve("b").toString();
        assertEquals(ExitCode.USAGE, Cli.run("compare", "--noise", b, a, a).code());
        assertEquals(ExitCode.GOOD, Cli.run("compare", a + "#BIO", b).code());
    }

    @Test
    void noiseIsThatOfTheSameVariant() throws IOException {
        List<CellResult> before = List.of(cell("BIO", 0, 1000, 1), cell("NIO", 0, 3000, 3));
        String again = run("again", List.of(cell("NIO", 0, 3060, 3), cell("BIO", 0, 1010, 1)));
        Cli cli = compare(before, before, "--noise", again);
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertTrue(cli.outLines().get(0).matches("BIO c=8 .* 1\\.000 .* noise 1\\.010 .*"), cli.out());
        assertTrue(
                cli.outLines().stream()
                        .anyMatch(line -> line.matches("NIO c=8 .* throughput 1.000 .* noise 1\\.020 .*")),
                cli.out());
        Cli half = compare(before, before, "--noise", again + "#NIO");
        assertTrue(half.outLines().get(0).endsWith(" | noise unknown"), half.out());
        Cli named = Cli.run(
                "compare", "--noise", again + "#BIO", folder.resolve("a") + "#BIO", folder.resolve("b") + "#NIO");
        assertTrue(named.outLines().get(0).matches("c=8 .* throughput 3\\.000 .* noise 1\\.010 .*"), named.out());
    }

    @Test
    void helpSaysWhatDecidesWithoutAnInterval() {
        String help = Cli.run("compare", "--help").out().replaceAll("\\s+", " ");
        assertTrue(
                help.contains("with one repetition there is no interval, and B is worse if the ratio itself lies "
                        + "beyond"),
                help);
    }

    @Test
    void nothingInCommonIsOneLine() throws IOException {
        assertMisused("nothing was measured in " + folder.resolve("b"), run("a", 1), run("b", List.of()));
        assertMisused("cannot read none.json: no such file", "none.json", "none.json");
        assertMisused(
                "no variant X in " + folder.resolve("a"),
                folder.resolve("a") + "#X",
                folder.resolve("a").toString());
        Path other = Files.writeString(folder.resolve("other.json"), "{}");
        assertMisused(
                other + " is no run.json", other.toString(), folder.resolve("a").toString());
        Files.writeString(other, "{\"schemaVersion\": 2, \"cells\": []}");
        assertMisused(other + " has schema version 2, this program reads 1 to 1", other.toString(), other.toString());
        assertEquals(ExitCode.USAGE, Cli.run("report", other.toString()).code());
    }

    private static void assertMisused(String message, String a, String b) {
        Cli cli = Cli.run("compare", a, b);
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertEquals(
                "loadclient: " + message + " (see loadclient compare --help)",
                cli.err().strip());
    }

    @Test
    void aMarginIsNotNegative() throws IOException {
        for (String margin : List.of("-5", "NaN")) {
            Cli cli = Cli.run("compare", "--margin=" + margin, run("a", 1), run("b", 1));
            assertEquals(ExitCode.USAGE, cli.code(), cli.out());
        }
    }

    @Test
    void aReportIsMadeAgainWithoutLoad() throws Exception {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli.run(
                    "uuid",
                    "-c=1",
                    "-n=50",
                    "--warmup=0s",
                    "--label=one",
                    "-o",
                    folder.toString(),
                    server.url("/generate-uuid"));
        }
        Path again = folder.resolve("again");
        Cli cli = Cli.run("report", "-o", again.toString(), folder.toString());
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertEquals(again.resolve("report.html") + "\n", cli.out());
        for (String name : List.of(
                "report.html", "run.json", "cells.csv", "latency.hlog", "hgrm/one_c=1_GET_ka=on_RANDOM_n=1-0.hgrm")) {
            assertEquals(Files.readString(folder.resolve(name)), Files.readString(again.resolve(name)), name);
        }
        assertTrue(Files.readString(again.resolve("report.html")).contains("Latency by percentile"));
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(again.resolve("report.html").toFile());
        List<String> csv = Files.readAllLines(again.resolve("cells.csv"));
        assertEquals(2, csv.size());
        assertTrue(csv.get(0).startsWith("label,clients,method,keepalive,uuid,count,repetition,model,window_s,"));
        assertTrue(csv.get(1).startsWith("one,1,GET,on,RANDOM,1,0,closed,"), csv.get(1));
        assertTrue(Files.readString(again.resolve("latency.hlog")).contains("Tag=one_c=1_GET_ka=on_RANDOM_n=1-0,"));
        assertTrue(Files.readString(again.resolve("hgrm/one_c=1_GET_ka=on_RANDOM_n=1-0.hgrm"))
                .contains("TotalCount"));
    }
}
