package dev.millrace.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.classics.Claim;
import dev.millrace.load.classics.Experiment;
import dev.millrace.load.classics.Lengths;
import dev.millrace.load.classics.Row;
import dev.millrace.load.classics.ServerSetting;
import dev.millrace.load.report.Comparison.Ratio;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Counts;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.FaultCount;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Series;
import dev.millrace.load.run.Times;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is made of a replay's cells: ratios within each block, and decisions by their intervals. */
class ThenAndNowTest {

    @TempDir
    private Path folder;

    private static Row row(String id, String server, Double then, String base) {
        return new Row(id, "Part", "text of " + id, server, 4, "hello", null, null,
                then == null ? null : Map.of("throughput", then), base, true, null, null);
    }

    private static CellResult cell(String server, int block, long requests, double serverSeconds, boolean wrong) {
        Percentiles times = new Percentiles(10, 2, 1, 3, 4, 5, 6);
        return new CellResult(server, Map.of("clients", "4", "work", "hello"), block, "closed", false, 1.0,
                new Counts(requests, 0, 4, 0), wrong ? Map.of("reset", new FaultCount(1, "x")) : Map.of(),
                new Times(times, null, times, times, times, null), List.of(),
                new CpuUse(serverSeconds, 0.4, 0.1, 0.3, 0.0, 0.2, 10L, 1000L), new Series(List.of(), List.of(),
                        List.of()), "", wrong ? "errors" : "box-bound", List.of());
    }

    /** B does 1.5 times as much as A in each block, for the same CPU time; the machine drifts by factors. */
    private static RunFile run(boolean wrong) {
        Lengths lengths = new Lengths(1, 3, 0, 0, 0, 1, 1, 0);
        ServerSetting setting = new ServerSetting("x", "BIO", List.of(), 0, false, false);
        List<Row> rows = List.of(row("a", "A", 100.0, null), row("b", "B", 200.0, "a"), row("c", "C", null, "a"));
        List<Claim> claims = List.of(claim("faster", "b", "a", null, 1.0, null),
                claim("slower", "b", "a", null, null, 1.0),
                claim("half as fast again", "b", "a", null, 1.4, 1.6), claim("on the edge", "b", "a", null, 1.5, null),
                claim("of another server", "c", "a", null, 1.0, null), claim("much", "a", null, 50_000.0, 1.0, null));
        List<CellResult> cells = new ArrayList<>();
        long[] drift = {1000, 3000, 2000};
        double[] noise = {1.49, 1.51, 1.50};
        for (int block = 0; block < 3; block++) {
            cells.add(cell("A", block, drift[block], 1, false));
            cells.add(cell("B", block, Math.round(drift[block] * noise[block]), 1, wrong));
        }
        Experiment experiment = new Experiment("test", "An experiment", "About it.", "req/s", List.of("Smaller."), null,
                null, lengths, lengths, Map.of("A", setting, "B", setting, "C", setting), rows, List.of(), claims);
        return new RunFile(1, "An experiment", "2026-01-01", "loadclient replay test", Map.of("cores", "2"),
                Map.of("form", "quick"), cells, experiment);
    }

    private static Claim claim(String text, String a, String b, Double than, Double low, Double high) {
        return new Claim(text, List.of(new Claim.Compared("throughput", a, b, than, low, high)));
    }

    @Test
    void figuresOfThenStandBesideThoseOfToday() {
        Table table = ThenAndNow.of(run(false)).get(0);
        assertEquals(List.of("row", "then req/s", "today req/s", "\u00b1%", "today/then", "ratio then", "ratio today",
                "server \u00b5s/req", "bound by"), table.heading());
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
        Table claims = ThenAndNow.of(run(false)).get(1);
        List<String> decisions = claims.rows().stream().map(row -> row.get(0) + ": " + row.get(3)).toList();
        assertEquals(List.of("faster: holds", "slower: does not hold today", "half as fast again: holds",
                "on the edge: undecided", "of another server: not measured", "much: does not hold today"), decisions);
        assertEquals("2.00", claims.rows().get(0).get(1));
        assertEquals("holds", claims.rows().get(0).get(4), "by work per CPU second too");
        assertEquals("-", claims.rows().get(5).get(4));
    }

    @Test
    void cellsWithErrorsDecideNothing() {
        Table claims = ThenAndNow.of(run(true)).get(1);
        assertEquals("not measured", claims.rows().get(0).get(3));
        assertEquals("3 errors", ThenAndNow.of(run(true)).get(0).rows().get(1).get(8));
    }

    @Test
    void oneRunDecidesNothing() {
        Claim.Compared compared = new Claim.Compared("throughput", "a", "b", null, 1.0, null);
        assertEquals(Decision.UNDECIDED, Decision.of(compared, Ratio.of(List.of(5.0))));
        assertEquals(Decision.HOLDS, Decision.of(compared, Ratio.of(List.of(5.0, 5.1, 5.2))));
        assertEquals(Decision.NOT_MEASURED, Decision.of(compared, null));
        assertEquals(Decision.FAILS, Decision.ofAll(List.of(Decision.HOLDS, Decision.NOT_MEASURED, Decision.FAILS)));
        assertEquals(Decision.UNDECIDED, Decision.ofAll(List.of(Decision.HOLDS, Decision.UNDECIDED)));
    }

    @Test
    void thePageAndTheReportAreMadeFromTheFileAlone() throws IOException {
        Files.createDirectories(folder.resolve("test"));
        run(false).write(folder.resolve("test"));
        RunFile again = RunFile.read(folder.resolve("test/run.json"));
        assertEquals(ThenAndNow.of(run(false)), ThenAndNow.of(again));
        String page = MarkdownPage.of(List.of(again), "the command");
        assertTrue(page.contains("Made by `the command`"), page);
        assertTrue(page.contains("## An experiment\n\nAbout it.\n\n- Smaller.\n"), page);
        assertTrue(page.contains("| text of b | 200 | 3,007 | "), page);
        assertTrue(page.contains("| slower | 2.00 | 1.50 ["), page);
        assertTrue(Files.readString(folder.resolve("test/report.html")).contains("<td>does not hold today</td>"));
    }
}
