package dev.millrace.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Counts;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Series;
import dev.millrace.load.run.SizeResult;
import dev.millrace.load.run.Times;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A percentile of too few answers is shown nowhere: it would be the longest time, whatever that is. */
class FewAnswersTest {

    @TempDir
    private Path folder;

    /** Answers of 1, 2, 3 ms and so on. */
    private static CellResult cell(int answers) {
        Histogram latency = new Histogram(3);
        for (long i = 1; i <= answers; i++) {
            latency.recordValue(i * 1_000_000);
        }
        ByteBuffer buffer = ByteBuffer.allocate(latency.getNeededByteBufferCapacity());
        int length = latency.encodeIntoCompressedByteBuffer(buffer);
        Percentiles times = new Percentiles(answers, 4000.0, 5000.0, 18_000.0, 19_000.0, 20_000.0, 20_000.0);
        return new CellResult(
                "",
                Map.of("clients", "8"),
                0,
                "closed",
                false,
                10.0,
                new Counts(answers, 0, 8, 0, 0, 0),
                Map.of(),
                new Times(times, null, times, times, times, null),
                List.of(new SizeResult(1024, answers, times, 9.0, 7.0, 8.0)),
                new CpuUse(0.5, 0.4, 0.1, 3.0, 0.0, 0.2, 10L, 1000L, false, null),
                new Series(List.of(), List.of(), List.of()),
                Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length)),
                "ok",
                List.of());
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "25, 1", "50, 1", "75, 4", "90, 10", "97.5, 40", "99, 100", "99.9, 1000", "99.99, 10000"})
    void oneValueMustLieAboveAHighPercentile(double percentile, long values) {
        assertEquals(values, Percentiles.valuesFor(percentile));
        assertTrue(Percentiles.isKnown(percentile, values));
        assertFalse(Percentiles.isKnown(percentile, values - 1));
        assertTrue(Percentiles.isKnown(100, 1));
    }

    @Test
    void linesAndTablesHaveADash() {
        assertTrue(ResultLine.of(cell(20), 1).contains(" | p50   5.00 p99      - ms | "), ResultLine.of(cell(20), 1));
        assertTrue(ResultLine.of(cell(100), 1).contains(" | p50   5.00 p99   19.0 ms"), ResultLine.of(cell(100), 1));
        assertTrue(
                ResultLine.percentiles(cell(20))
                        .matches(
                                "  latency ms: 50% 10\\.\\d 75% 15\\.\\d 90% 18\\.\\d 99% - 99.9% - 99.99% - 100% 20\\.\\d"),
                ResultLine.percentiles(cell(20)));
        String table = CellTables.results(Aggregate.of(List.of(cell(20))));
        assertTrue(table.contains("<td>5.00</td><td>18.0</td><td>-</td><td>-</td><td>20.0</td>"), table);
        String sizes = CellTables.sizes(List.of(cell(20)));
        assertTrue(sizes.contains("<td>5.00</td><td>-</td><td>9.00</td><td>-</td><td>8.00</td>"), sizes);
    }

    @Test
    void picturesEndWhereTheAnswersDo() {
        CellResult few = cell(20);
        String page = new HtmlReport(RunFile.of("x", "", "", Map.of(), Map.of(), List.of(few))).html();
        assertTrue(page.contains("aria-label=\"Latency, median\""), page);
        assertFalse(page.contains("aria-label=\"Latency, 99 %\""), page);
        String line = page.substring(page.indexOf("Latency by percentile"));
        line = line.substring(line.indexOf("points=\"") + 8);
        line = line.substring(0, line.indexOf('"'));
        assertEquals(6, line.split(" ").length, "least, and 25 to 95 per cent: " + line);
    }

    @Test
    void otherFormatsLeaveItOut() {
        String csv = Exports.csv(List.of(cell(20)));
        String[] names = csv.lines().findFirst().orElseThrow().split(",");
        String[] values = csv.lines().skip(1).findFirst().orElseThrow().split(",");
        int p90 = List.of(names).indexOf("latency_p90_us");
        assertEquals(List.of("18000.0", "", "", "20000.0"), List.of(values).subList(p90, p90 + 4), csv);
        String metrics = OpenMetricsFile.of(List.of(cell(20)));
        assertTrue(metrics.contains("quantile=\"0.9\"} 0.018") && metrics.contains("quantile=\"1\"} 0.020"), metrics);
        assertFalse(metrics.contains("quantile=\"0.99\"") || metrics.contains("quantile=\"0.999\""), metrics);
    }

    @Test
    void whatIsNotKnownIsNotCompared() {
        Comparison.Row few = Comparison.of(List.of(cell(100)), List.of(cell(20)), 1, false)
                .rows()
                .get(0);
        assertEquals(Set.of(Metric.P99), few.lost());
        assertEquals(
                "B: no p99 to compare with A's",
                few.notComparable(List.of(Metric.P99)).text());
        Comparison.Row enough = Comparison.of(List.of(cell(100)), List.of(cell(100)), 1, false)
                .rows()
                .get(0);
        assertEquals(1.0, enough.ratios().get(Metric.P99).ratio());
    }

    /** Runs of earlier versions have the longest time in the place of a percentile. */
    @Test
    void anOldRunIsReadWithoutIt() throws IOException {
        ReportFolder.write(RunFile.of("x", "", "", Map.of(), Map.of(), List.of(cell(20))), folder);
        Path file = folder.resolve(RunFile.NAME);
        String json = Files.readString(file);
        assertTrue(json.contains("\"p99\" : null") && json.contains("\"speedP1\" : null"), json);
        Files.writeString(file, json.replaceAll("\"(p99|p999|speedP1)\" : null", "\"$1\" : 20000.0"));
        CellResult cell = RunFile.read(file).cells().get(0);
        assertNotNull(cell.times().latency().p90());
        assertNull(cell.times().latency().p99());
        assertNull(cell.times().latency().p999());
        assertNull(cell.sizes().get(0).speedP1());
        assertEquals(20_000.0, cell.times().latency().max());
    }
}
