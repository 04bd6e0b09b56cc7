package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Distribution;
import dev.millrace.load.run.FaultCount;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Times;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** One line of fixed width per cell, for standard output. Stateless. */
public final class ResultLine {

    private static final double[] PERCENTILES = {50, 75, 90, 99, 99.9, 99.99, 100};
    private static final double NANOS_PER_MICRO = 1000;

    private ResultLine() {
    }

    /** A line per cell, over all its repetitions, each ended by a line feed. */
    static String table(List<CellResult> results) {
        List<Aggregate> cells = Aggregate.of(results);
        int width = cells.stream().mapToInt(cell -> name(cell.label(), cell.parameters()).length()).max().orElse(1);
        return cells.stream().map(cell -> of(cell, width) + "\n").collect(Collectors.joining());
    }

    /** The line of one repetition. */
    public static String of(CellResult result, int nameWidth) {
        return of(Aggregate.of(List.of(result)).get(0), nameWidth);
    }

    /**
     * The line.
     *
     * @param cell      all repetitions of a cell
     * @param nameWidth columns that the cell's settings get
     */
    public static String of(Aggregate cell, int nameWidth) {
        boolean bytes = cell.first().countsBytes();
        Interval rate = cell.interval(CellResult::throughput);
        String spread = rate.n() > 1 ? String.format(Locale.ROOT, " \u00b1%.1f%%", rate.percent()) : "";
        String text = String.format(Locale.ROOT, "%-" + Math.max(1, nameWidth) + "s | %8s %s%s",
                name(cell.label(), cell.parameters()), Figures.number(rate.mean()), bytes ? "MB/s" : "req/s", spread);
        if (bytes) {
            text += String.format(Locale.ROOT, " %7s req/s", Figures.number(cell.mean(CellResult::requestsPerSecond)));
        }
        return text + String.format(Locale.ROOT,
                " | srv %7s %s %5s cpu | cli %5s cpu | p50 %6s p99 %6s ms%s | err %d%s | %s",
                Figures.number(cell.mean(CellResult::cost)), bytes ? "ms/GB" : "us/req",
                Figures.number(cell.mean(result -> cores(result.cpu().server(), result))),
                Figures.number(cell.mean(result -> cores(result.cpu().client(), result))),
                millis(cell, Times::latency, Percentiles::p50), millis(cell, Times::latency, Percentiles::p99), raw(cell),
                cell.errors(),
                cell.cutOff() > 0 ? " | cut " + cell.cutOff() : "", cell.verdict());
    }

    /** In the open model latency from sending stands beside latency from the moment at which the request was due. */
    private static String raw(Aggregate cell) {
        if (cell.first().times().raw() == null) {
            return "";
        }
        return String.format(Locale.ROOT, " (raw p50 %6s p99 %6s)", millis(cell, Times::raw, Percentiles::p50),
                millis(cell, Times::raw, Percentiles::p99));
    }

    private static String millis(Aggregate cell, Function<Times, Percentiles> times, Function<Percentiles, Double> figure) {
        return Figures.millis(cell.mean(result -> Figures.of(times.apply(result.times()), figure)));
    }

    /** A second line: latency at more percentiles than the first one has room for. */
    public static String percentiles(CellResult result) {
        Histogram latency = Distribution.decode(result.histogram());
        StringBuilder text = new StringBuilder("  latency ms:");
        for (double percentile : PERCENTILES) {
            text.append(' ').append(BigDecimal.valueOf(percentile).stripTrailingZeros().toPlainString()).append("% ")
                    .append(Figures.millis(latency.getTotalCount() == 0 ? null
                            : (Double) (latency.getValueAtPercentile(percentile) / NANOS_PER_MICRO)));
        }
        return text.toString();
    }

    /** The settings of a cell as the line shows them. */
    public static String name(String label, Map<String, String> parameters) {
        return (label.isEmpty() ? "" : label + " ") + Figures.cell(parameters);
    }

    /** The settings of a cell as the line shows them. */
    public static String name(CellResult result) {
        return name(result.label(), result.parameters());
    }

    /** The kinds of error of a cell with how many and the first of each; empty when there was none. */
    public static String errors(CellResult result) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, FaultCount> error : result.errors().entrySet()) {
            text.append(text.isEmpty() ? "" : "; ").append(error.getKey()).append(" x ")
                    .append(error.getValue().count()).append(" (").append(error.getValue().first()).append(')');
        }
        return text.toString();
    }

    /** A time of 0 is one below the tick of the system's clock. */
    private static Double cores(Double seconds, CellResult result) {
        return seconds == null || seconds == 0 ? null : seconds / result.windowSeconds();
    }
}
