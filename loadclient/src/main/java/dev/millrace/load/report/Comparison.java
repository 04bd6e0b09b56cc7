package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Two variants compared cell by cell. Repetition n of one is paired with repetition n of the other, which ran at nearly
 * the same time; the interval is that of the ratios, not of two means. Immutable.
 *
 * @param rows a row for each cell that both variants have
 */
public record Comparison(List<Row> rows) {

    /** Figures that can be compared. */
    public enum Metric {
        /** Requests or megabytes per second. */
        THROUGHPUT("throughput", true, CellResult::throughput),
        /** The server's CPU time per request or gigabyte. */
        CPU("server CPU", false, CellResult::cost),
        /** Median latency. */
        P50("p50", false, cell -> cell.times().latency().p50()),
        /** 99th percentile of latency. */
        P99("p99", false, cell -> cell.times().latency().p99());

        private final String label;
        private final boolean moreIsBetter;
        private final Function<CellResult, Double> figure;

        Metric(String label, boolean moreIsBetter, Function<CellResult, Double> figure) {
            this.label = label;
            this.moreIsBetter = moreIsBetter;
            this.figure = figure;
        }

        /** The name shown to people. */
        public String label() {
            return label;
        }
    }

    /**
     * The ratio B / A of one figure in one cell.
     *
     * @param ratio geometric mean of the pairs' ratios
     * @param low   lower end of its 95 % interval; NaN of a single pair
     * @param high  upper end
     * @param pairs repetitions that both have
     */
    public record Ratio(double ratio, double low, double high, int pairs) {

        static Ratio of(List<Double> ratios) {
            Interval logs = Interval.of(ratios.stream().map(Math::log).toList());
            return new Ratio(Math.exp(logs.mean()), Math.exp(logs.mean() - logs.half()),
                    Math.exp(logs.mean() + logs.half()), logs.n());
        }
    }

    /**
     * One cell.
     *
     * @param parameters its settings
     * @param ratios     what can be compared
     */
    public record Row(Map<String, String> parameters, Map<Metric, Ratio> ratios) {
    }

    /** Compares variant B with variant A; both without their label. */
    public static Comparison of(List<CellResult> a, List<CellResult> b) {
        List<Row> rows = new ArrayList<>();
        for (Aggregate first : Aggregate.of(unlabelled(a))) {
            for (Aggregate second : Aggregate.of(unlabelled(b))) {
                if (first.parameters().equals(second.parameters())) {
                    rows.add(new Row(first.parameters(), ratios(first, second)));
                }
            }
        }
        return new Comparison(List.copyOf(rows));
    }

    /** Whether B is worse than A in that figure by more than the threshold, beyond doubt where there is an interval. */
    public static boolean worse(Metric metric, Ratio ratio, double thresholdPercent) {
        double limit = 1 + thresholdPercent / 100;
        if (metric.moreIsBetter) {
            double best = Double.isNaN(ratio.high()) ? ratio.ratio() : ratio.high();
            return best < 1 / limit;
        }
        double best = Double.isNaN(ratio.low()) ? ratio.ratio() : ratio.low();
        return best > limit;
    }

    private static Map<Metric, Ratio> ratios(Aggregate a, Aggregate b) {
        Map<Metric, Ratio> ratios = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            List<Double> pairs = new ArrayList<>();
            for (CellResult one : a.repetitions()) {
                for (CellResult other : b.repetitions()) {
                    Double before = metric.figure.apply(one);
                    Double after = metric.figure.apply(other);
                    if (one.repetition() == other.repetition() && before != null && after != null && before > 0
                            && after > 0) {
                        pairs.add(after / before);
                    }
                }
            }
            if (!pairs.isEmpty()) {
                ratios.put(metric, Ratio.of(pairs));
            }
        }
        return ratios;
    }

    private static List<CellResult> unlabelled(List<CellResult> cells) {
        return cells.stream().filter(CellResult::valid).map(cell -> new CellResult("", cell.parameters(),
                cell.repetition(), cell.model(), cell.countsBytes(), cell.windowSeconds(), cell.counts(), cell.errors(),
                cell.times(), cell.sizes(), cell.cpu(), cell.series(), cell.histogram(), cell.verdict(), cell.notes()))
                .toList();
    }
}
