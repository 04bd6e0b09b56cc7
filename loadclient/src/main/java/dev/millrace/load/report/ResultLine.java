package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.FailureCount;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Times;
import dev.millrace.load.run.TlsResult;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Writes one line of fixed width per cell. Stateless. */
public final class ResultLine {

    private static final double[] PERCENTILES = {50, 75, 90, 99, 99.9, 99.99, 100};
    private static final double NANOS_PER_MICRO = 1000;

    private ResultLine() {}

    /** A line per cell, over all its repetitions, each ended by a line feed. */
    static String table(List<CellResult> results) {
        int width = results.stream().mapToInt(cell -> name(cell).length()).max().orElse(1);
        return all(results, width).stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    /** A line per cell, over all its repetitions, whose names get a number of columns. */
    public static List<String> all(List<CellResult> results, int nameWidth) {
        return Aggregate.of(results).stream().map(cell -> of(cell, nameWidth)).toList();
    }

    /** The line of one repetition. */
    public static String of(CellResult result, int nameWidth) {
        return all(List.of(result), nameWidth).get(0);
    }

    /**
     * The line.
     *
     * @param cell      all repetitions of a cell
     * @param nameWidth columns for the cell's name
     */
    static String of(Aggregate cell, int nameWidth) {
        boolean bytes = cell.first().countsBytes();
        Interval rate = Objects.requireNonNull(cell.interval(CellResult::throughput));
        Cost cost = Cost.of(cell.repetitions());
        String text = String.format(
                Locale.ROOT,
                "%-" + Math.max(1, nameWidth) + "s | %8s %s%s",
                name(cell.label(), cell.parameters()),
                FigureFormat.number(rate.mean()),
                bytes ? "MB/s" : "req/s",
                FigureFormat.spread(rate));
        if (bytes) {
            text += String.format(
                    Locale.ROOT, " %7s req/s", FigureFormat.number(cell.mean(CellResult::requestsPerSecond)));
        }
        return text
                + String.format(
                        Locale.ROOT,
                        " | srv %7s %s %5s cpu | cli %5s cpu | p50 %6s p99 %6s ms%s%s | err %d%s | %s",
                        FigureFormat.number(cell.mean(cost::of)),
                        cost.label(),
                        FigureFormat.number(
                                cell.mean(result -> cores(result.cpu().server(), result))),
                        FigureFormat.number(
                                cell.mean(result -> cores(result.cpu().client(), result))),
                        millis(cell, Times::latency, Percentiles::p50),
                        millis(cell, Times::latency, Percentiles::p99),
                        raw(cell),
                        tls(cell),
                        cell.errors(),
                        cell.cutOff() > 0 ? " | cut " + cell.cutOff() : "",
                        cell.verdict());
    }

    /** In the open model, latency from sending, beside latency from the moment at which the request was due. */
    private static String raw(Aggregate cell) {
        if (cell.first().times().raw() == null) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                " (raw p50 %6s p99 %6s)",
                millis(cell, Times::raw, Percentiles::p50),
                millis(cell, Times::raw, Percentiles::p99));
    }

    /** The version, the handshakes of all repetitions, and the length of those in the windows. */
    private static String tls(Aggregate cell) {
        List<TlsResult> all = cell.repetitions().stream()
                .map(CellResult::tls)
                .filter(Objects::nonNull)
                .toList();
        if (all.isEmpty()) {
            return "";
        }
        Double median = cell.mean(ResultLine::medianHandshake);
        return String.format(
                Locale.ROOT,
                " | %s %d full %d resumed%s",
                all.get(0).version().replaceFirst(" .*", ""),
                all.stream().mapToLong(TlsResult::full).sum(),
                all.stream().mapToLong(TlsResult::resumed).sum(),
                median == null ? "" : " p50 " + FigureFormat.millis(median) + " ms");
    }

    private static @Nullable Double medianHandshake(CellResult cell) {
        TlsResult tls = cell.tls();
        return tls == null ? null : FigureFormat.of(tls.handshake(), Percentiles::p50);
    }

    private static String millis(
            Aggregate cell,
            Function<Times, @Nullable Percentiles> times,
            Function<Percentiles, @Nullable Double> figure) {
        return FigureFormat.millis(cell.mean(result -> FigureFormat.of(times.apply(result.times()), figure)));
    }

    /** A second line, with latency at more percentiles. */
    public static String percentiles(CellResult result) {
        Histogram latency = result.latencies();
        long answers = latency.getTotalCount();
        StringBuilder text = new StringBuilder("  latency ms:");
        for (double percentile : PERCENTILES) {
            text.append(' ')
                    .append(BigDecimal.valueOf(percentile).stripTrailingZeros().toPlainString())
                    .append("% ")
                    .append(FigureFormat.millis(
                            Percentiles.isKnown(percentile, answers)
                                    ? (Double) (latency.getValueAtPercentile(percentile) / NANOS_PER_MICRO)
                                    : null));
        }
        return text.toString();
    }

    /** The name of a cell: variant and parameters. */
    public static String name(String label, Map<String, String> parameters) {
        return (label.isEmpty() ? "" : label + " ") + FigureFormat.cell(parameters);
    }

    /** The name of a cell: variant and parameters. */
    public static String name(CellResult result) {
        return name(result.label(), result.parameters());
    }

    /** The failures of a cell by kind, with their number and the first of each; empty without failures. */
    public static String errors(CellResult result) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, FailureCount> error : result.errors().entrySet()) {
            text.append(text.isEmpty() ? "" : "; ")
                    .append(error.getKey())
                    .append(" x ")
                    .append(error.getValue().count())
                    .append(" (")
                    .append(error.getValue().first())
                    .append(')');
        }
        return text.toString();
    }

    /** The kernel counts CPU time in ticks, so that 0 means less than one tick and is unknown. */
    private static @Nullable Double cores(@Nullable Double seconds, CellResult result) {
        return seconds == null || seconds == 0 ? null : seconds / result.windowSeconds();
    }
}
