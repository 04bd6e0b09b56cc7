package dev.millrace.load.report;

import static dev.millrace.load.report.ExperimentRuns.ROWS;
import static dev.millrace.load.report.ExperimentRuns.TIMES;
import static dev.millrace.load.report.ExperimentRuns.cell;
import static dev.millrace.load.report.ExperimentRuns.experiment;
import static dev.millrace.load.report.ExperimentRuns.row;
import static dev.millrace.load.report.ExperimentRuns.run;
import static dev.millrace.load.report.ExperimentRuns.with;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.experiment.Claim;
import dev.millrace.load.experiment.Lengths;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.report.Comparison.Ratio;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Counts;
import dev.millrace.load.run.SizeResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tables of a replay: ratios within each block, and decisions by their intervals. */
class ExperimentTablesTest {
    @TempDir
    private Path folder;

    @Test
    void figuresOfThenStandBesideThoseOfToday() {
        Table table = ExperimentTables.of(run(false)).get(0);
        assertEquals(
                List.of(
                        "row",
                        "then req/s",
                        "today req/s",
                        "\u00b1%",
                        "today/then",
                        "ratio then",
                        "ratio today",
                        "server \u00b5s/req",
                        "bound by"),
                table.heading());
        List<String> b = table.rows().get(1);
        assertEquals("text of b", b.get(0));
        assertEquals("200", b.get(1));
        assertEquals("3,007", b.get(2));
        assertEquals("15.0", b.get(4));
        assertEquals("2.00", b.get(5));
        assertTrue(b.get(6).startsWith("1.50 [1.4"), b.get(6));
        assertEquals("not measured", table.rows().get(2).get(8));
    }

    @Test
    void claimsAreDecidedByTheIntervalsOfTheBlocksRatios() {
        Table claims = ExperimentTables.of(run(false)).get(1);
        List<String> decisions = claims.rows().stream()
                .map(row -> row.get(0) + ": " + row.get(3))
                .toList();
        assertEquals(
                List.of(
                        "faster: holds",
                        "slower: does not hold today",
                        "half as fast again: holds",
                        "on the edge: undecided",
                        "of another server: not measured",
                        "much: does not hold today"),
                decisions);
        assertEquals("2.00", claims.rows().get(0).get(1));
        assertEquals("holds", claims.rows().get(0).get(4), "by work per CPU second too");
        assertEquals("-", claims.rows().get(5).get(4));
    }

    @Test
    void onlyCellsOfUndecidedClaimsNeedFurtherRounds() {
        RunFile run = run(false);
        Predicate<Row> open = ExperimentTables.undecided(run);
        assertEquals(
                List.of("a", "b"),
                run.experiment().rows().stream().filter(open).map(Row::id).toList(),
                "of the claim on the edge");
        assertEquals(
                "Of 6 claims: holds 2, does not hold today 2, undecided 1, not measured 1.",
                ExperimentTables.summary(run));
    }

    @Test
    void lookingEarlyWidensTheIntervals() {
        RunFile fixed = run("test", 1.4, 1.5, 1.6, 1.5, 1.4, 1.5, 1.6, 1.5, 1.5, 1.5, 1.4, 1.6);
        Map<String, String> plan = Map.of("form", "quick", RunFile.BUDGET, "60 s");
        RunFile early = new RunFile(1, "", "", "", Map.of(), plan, fixed.cells(), fixed.experiment());
        assertEquals("1.50 [1.45, 1.55]", ExperimentTables.claims(fixed).get(0).now());
        String now = ExperimentTables.claims(early).get(0).now();
        assertTrue(now.matches("1\\.50 \\[1\\.3\\d, 1\\.6\\d]"), now);
        assertEquals(Decision.HOLDS, ExperimentTables.claims(early).get(0).decision());
    }

    @Test
    void serverCpuDecidesWhereThroughputCannot() {
        RunFile run = run("test", 1.0, 2.0, 1.5, 0.8);
        List<CellResult> cells = run.cells().stream()
                .map(cell -> cell(
                        cell.label(),
                        cell.repetition(),
                        cell.counts().requests(),
                        cell.counts().requests() / (cell.label().equals("A") ? 1000.0 : 1500.0),
                        false))
                .toList();
        ClaimResult faster = ExperimentTables.claims(with(run, cells)).get(0);
        assertEquals(Decision.UNDECIDED, faster.byThroughput());
        assertEquals("holds, by server CPU", faster.verdict());
    }

    @Test
    void anUndecidedClaimHasItsReason() {
        List<ClaimResult> claims = ExperimentTables.claims(run(false));
        assertEquals(
                "undecided: 1.475 to 1.525 lies across 1.50; server CPU: 1.475 to 1.525 lies across 1.50",
                claims.get(3).verdict());
        assertEquals("holds", claims.get(0).verdict());
        assertEquals("does not hold today", claims.get(5).verdict());
        Claim.Compared between = new Claim.Compared("throughput", "a", "b", null, 0.94, 0.99);
        assertEquals("0.900 to 1.100 lies across 0.94 and 0.99", Decision.reason(between, new Ratio(1, 0.9, 1.1, 3)));
        assertEquals("0.900 to 0.980 lies across 0.94", Decision.reason(between, new Ratio(0.95, 0.9, 0.98, 3)));
        assertEquals("the interval is too wide", Decision.reason(between, Ratio.of(List.of(1.0, 4.0))));
        assertEquals("too few repetitions for an interval", Decision.reason(between, Ratio.of(List.of(5.0))));
    }

    @Test
    void cellsWithErrorsDecideNothing() {
        Table claims = ExperimentTables.of(run(true)).get(1);
        assertEquals("not comparable", claims.rows().get(0).get(3));
        assertEquals("not comparable", claims.rows().get(0).get(4));
        assertEquals(
                "3 errors", ExperimentTables.of(run(true)).get(0).rows().get(1).get(8));
    }

    @Test
    void figuresAreThoseOfSoundCells() {
        RunFile run = run(false);
        Row a = row("a", "A", null, null);
        List<CellResult> cells = new ArrayList<>(run.cells());
        cells.add(cell("A", 0, 5, 1, true));
        cells.add(cell("A", 3, 5, 1, true));
        Interval figure = new ExperimentResults(with(run, cells)).figure(a, "throughput");
        assertEquals(3, figure.n());
        assertEquals(2000, figure.mean());
        cells.replaceAll(cell -> cell("A", cell.repetition(), 7, 1, true));
        assertEquals(
                7,
                new ExperimentResults(with(run, cells)).figure(a, "throughput").mean(),
                "where none is sound, of all");
    }

    @Test
    void oneRunDecidesNothing() {
        Claim.Compared compared = new Claim.Compared("throughput", "a", "b", null, 1.0, null);
        assertEquals(Decision.UNDECIDED, Decision.of(compared, Ratio.of(List.of(5.0)), true));
        assertEquals(Decision.HOLDS, Decision.of(compared, Ratio.of(List.of(5.0, 5.1, 5.2)), true));
        assertEquals(Decision.NOT_MEASURED, Decision.of(compared, null, false));
        assertEquals(Decision.NOT_COMPARABLE, Decision.of(compared, null, true));
        assertEquals(Decision.FAILS, Decision.ofAll(List.of(Decision.HOLDS, Decision.NOT_MEASURED, Decision.FAILS)));
        assertEquals(Decision.UNDECIDED, Decision.ofAll(List.of(Decision.HOLDS, Decision.UNDECIDED)));
    }

    @Test
    void aRatioOfOneDecidesThatThereIsNoDifference() {
        Ratio same = Ratio.of(List.of(0.99, 1.0, 1.01));
        Ratio wider = Ratio.of(List.of(0.97, 1.0, 1.03));
        Claim.Compared better = new Claim.Compared("throughput", "a", "b", null, 1.0, null);
        Claim.Compared worse = new Claim.Compared("throughput", "a", "b", null, null, 1.0);
        assertEquals(Decision.NO_DIFFERENCE, Decision.of(better, same, true));
        assertEquals(Decision.NO_DIFFERENCE, Decision.of(worse, same, true));
        assertEquals(Decision.UNDECIDED, Decision.of(better, wider, true), "it reaches beyond 5 %");
        assertEquals(
                Decision.HOLDS,
                Decision.of(better, Ratio.of(List.of(1.01, 1.02, 1.015)), true),
                "a small difference is what the claim wants");
        for (Claim.Compared other : List.of(
                new Claim.Compared("throughput", "a", "b", null, 1.005, null),
                new Claim.Compared("throughput", "a", "b", null, 0.8, 1.0),
                new Claim.Compared("throughput", "a", null, 5.0, 1.0, null))) {
            assertEquals(Decision.UNDECIDED, Decision.of(other, same, true), "the claim says more: " + other);
        }
        assertEquals(
                Decision.NO_DIFFERENCE,
                Decision.ofAll(List.of(Decision.HOLDS, Decision.NO_DIFFERENCE, Decision.UNDECIDED)));
    }

    @Test
    void thePageAndTheReportAreMadeFromTheFileAlone() throws IOException {
        Files.createDirectories(folder.resolve("test"));
        ReportFolder.write(run(false), folder.resolve("test"));
        RunFile again = RunFile.read(folder.resolve("test/run.json"));
        assertEquals(ExperimentTables.of(run(false)), ExperimentTables.of(again));
        String page = MarkdownPage.of(List.of(again), "the command");
        assertTrue(page.contains("Made by `the command`"), page);
        assertTrue(page.contains("\n| claim | then | now | verdict |\n"), page);
        assertTrue(page.contains("\n| test: slower | 2.00 | 1.50 ["), page);
        assertTrue(
                page.contains(
                        "where throughput cannot, or shows no difference.\n\nOf 6 claims: *holds* 2, *does not hold today* 2, *undecided* 1, "
                                + "*not measured* 1.\n\n### All claims\n"),
                page);
        assertTrue(MarkdownPage.of(List.of(run("test", 1, 2), run("test", 1, 2)), "x")
                .contains("\n\nOf 12 claims: *holds* 0, "
                        + "*does not hold today* 2, *undecided* 8, *not measured* 2.\n\n"));
        assertTrue(page.contains("## An experiment\n\nAbout it.\n\n- Smaller.\n"), page);
        assertTrue(page.contains("| text of b | 200 | 3,007 | "), page);
        assertTrue(page.contains("| slower | 2.00 | 1.50 ["), page);
        assertTrue(Files.readString(folder.resolve("test/report.html")).contains("<td>does not hold today</td>"));
    }

    /** The long form with two blocks on servers that were started once, as in older files. */
    private static RunFile full(List<CellResult> cells, Map<String, Long> files) {
        return run(
                Map.of("form", "full", "repetitions", "6, servers started anew for each 2"),
                cells,
                experiment("test", files, new Lengths(3, 2, 0.5, 0, 0, 1, 1, 0, 0), ROWS));
    }

    private static RunFile full(double... factors) {
        return full(run("test", factors).cells(), null);
    }

    @Test
    void blocksOfOneStartAreOneValue() {
        RunFile run = full(1, 4, 2, 2, 2, 2);
        List<String> b = ExperimentTables.of(run).get(0).rows().get(1);
        assertEquals("2.00 [2.00, 2.00]", b.get(6), "the geometric mean of each start");
        assertEquals("2,167", b.get(2));
        assertEquals("33.1", b.get(3), "of 2500, 2000 and 2000");
        assertEquals(
                "Intervals have one value for each of 3 starts of the servers, the mean of its 2 blocks.",
                ExperimentTables.basis(run));
        assertTrue(MarkdownPage.of(List.of(run), "x").contains(". Intervals have one value for each of 3 starts"));
    }

    @Test
    void blocksCountWhereServersWereStartedOnce() throws IOException {
        RunFile once = full(1, 4);
        assertEquals(
                "2.00 [too wide]",
                ExperimentTables.of(once).get(0).rows().get(1).get(6),
                "two blocks");
        String basis =
                "Servers were started once: intervals have one value for each of 2 blocks, and do not hold the luck "
                        + "of a start.";
        assertEquals(basis, ExperimentTables.basis(once));
        assertTrue(MarkdownPage.of(List.of(once), "x").contains(basis));
        assertTrue(Files.readString(ReportFolder.write(once, folder)).contains(basis));
        assertEquals(
                "2.00 [0.36, 11.2]",
                ExperimentTables.of(run("test", 1, 2, 4)).get(0).rows().get(1).get(6));
    }

    /** Starts of one block each, the last of which measured servers A and B alone, for their claims were undecided. */
    private static RunFile twoLooks(int further) {
        return twoLooks(further, Map.of("form", "full"));
    }

    private static RunFile twoLooks(int further, Map<String, String> plan) {
        List<CellResult> cells = run("test", 1, 2, 3, 2).cells().stream()
                .filter(cell -> !cell.label().equals("C") || cell.repetition() < 3)
                .toList();
        Lengths lengths = new Lengths(3, 1, 0, 0, 0, 1, 1, 0, further);
        return run(plan, cells, experiment("test", null, lengths, ROWS));
    }

    @Test
    void ratiosThatAreLookedAtTwiceHaveWiderIntervals() {
        List<Double> ratios = List.of(1.0, 2.0, 3.0, 2.0);
        assertEquals(
                Comparison.Ratio.of(ratios, new Comparison.Confidence(0.05, false))
                        .text(),
                ExperimentTables.of(twoLooks(0)).get(0).rows().get(1).get(6));
        assertEquals(
                Comparison.Ratio.of(ratios, new Comparison.Confidence(0.025, false))
                        .text(),
                ExperimentTables.of(twoLooks(1)).get(0).rows().get(1).get(6));
        String basis = "Intervals have one value for each of 4 starts of the servers.";
        assertEquals(basis, ExperimentTables.basis(twoLooks(0)));
        assertEquals(
                basis
                        + " Claims that were decided after 3 of them may have no more. Each of two looks at the ratios has "
                        + "intervals of 97.5 %, so that both hold with 95 %.",
                ExperimentTables.basis(twoLooks(1)));
        Map<String, String> withBudget = Map.of("form", "full", "budget", "60 s for further rounds");
        assertEquals(basis, ExperimentTables.basis(twoLooks(1, withBudget)), "that one is looked at each round");
    }

    @Test
    void oneSoundStartOfSeveralDecidesNothing() {
        List<CellResult> cells =
                new ArrayList<>(full(1.5, 1.6, 1.5, 1.6, 1.5, 1.6).cells());
        cells.replaceAll(cell -> cell.label().equals("B") && cell.repetition() > 1 ? cut(cell, 7) : cell);
        RunFile run = full(cells, null);
        assertEquals("1.55", ExperimentTables.of(run).get(0).rows().get(1).get(6));
        assertEquals("undecided", ExperimentTables.of(run).get(1).rows().get(0).get(3));
    }

    private static CellResult cut(CellResult cell, long exchanges) {
        Counts counts = new Counts(cell.counts().requests(), cell.counts().bytes(), 4, exchanges, 0, 0);
        return cell(
                cell.label(),
                cell.repetition(),
                counts,
                cell.errors(),
                cell.sizes(),
                cell.cpu().server());
    }

    @Test
    void aServerThatLeavesRequestsUnansweredIsNotCompared() {
        List<CellResult> cells = new ArrayList<>(run("test", 1.5, 1.6, 9.0).cells());
        cells.replaceAll(cell -> cell.label().equals("B") && cell.repetition() == 2 ? cut(cell, 698) : cell);
        RunFile run = with(run("test", 1.5), cells);
        List<String> b = ExperimentTables.of(run).get(0).rows().get(1);
        assertEquals("698 unanswered", b.get(8));
        assertTrue(b.get(6).startsWith("1.55 ["), b.get(6));
        cells.replaceAll(cell -> cut(cell, 5));
        assertEquals(
                "not comparable", ExperimentTables.of(run).get(1).rows().get(0).get(3));
        assertEquals(
                "15 unanswered", ExperimentTables.of(run).get(0).rows().get(0).get(8));
    }

    private static CellResult download(String server, int block, long... sizes) {
        List<SizeResult> complete = new ArrayList<>();
        for (long size : sizes) {
            complete.add(new SizeResult(size, 10, TIMES, size / 1000.0, 1.0, 1.0));
        }
        return cell(server, block, new Counts(100, 1_000_000, 4, 3, 0, 0), Map.of(), complete, 1);
    }

    @Test
    void speedIsThatOfTheLargestFileOfTheMix() {
        Map<String, Long> files = Map.of("small", 1000L, "large", 5000L);
        ExperimentResults today = new ExperimentResults(
                full(List.of(download("A", 0, 1000, 5000), download("A", 2, 1000), download("B", 0, 1000)), files));
        assertEquals(
                5.0, today.figure(row("a", "A", null, null), "speed").mean(), "the block without one does not count");
        assertEquals(1, today.figure(row("a", "A", null, null), "speed").n());
        assertNull(today.figure(row("b", "B", null, null), "speed"));
    }

    @Test
    void aDownloadMayBeUnderWayWhenTheDrainEnds() {
        RunFile run = full(
                List.of(download("A", 0, 1000), download("B", 0, 1000), download("A", 2, 1000), download("B", 2, 1000)),
                Map.of("small", 1000L));
        List<String> b = ExperimentTables.of(run).get(0).rows().get(1);
        assertEquals("1.00 [1.00, 1.00]", b.get(6));
        assertEquals("box-bound", b.get(8));
    }
}
