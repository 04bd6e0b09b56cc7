package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Two runs compared cell by cell. Repetition n of one is paired with repetition n of the other, which ran at nearly the
 * same time. Intervals are those of the pairs' ratios, corrected for the number of questions. Repetitions with errors
 * and invalid ones are in no ratio. Immutable.
 *
 * @param labelled whether there are several variants, each of which is compared with itself
 * @param early    whether the runs ended when their intervals decided
 * @param rows     a row for each cell of A
 */
public record Comparison(boolean labelled, boolean early, List<Row> rows) {

    /** The text instead of an interval that says nothing. */
    public static final String TOO_WIDE = "[too wide]";

    /** The upper end of an interval may be at most so many times its lower end, or the interval says nothing. */
    private static final double WIDEST = 100;

    /** Of less CPU time, a few of the kernel's ticks of 10 ms, another window as long may show none. */
    private static final double FEW_TICKS_SECONDS = 0.05;

    /** Figures that can be compared. */
    public enum Metric {
        /** Requests or megabytes per second. */
        THROUGHPUT("throughput", true, CellResult::throughput),
        /** The server's CPU time per request or gigabyte. */
        CPU("server CPU", false, CellResult::cost),
        /** Median latency. */
        P50("p50", false, cell -> cell.times().latency().p50()),
        /** 99th percentile of latency, which a repetition with fewer than 100 answers does not have. */
        P99("p99", false, cell -> cell.times().latency().p99());

        private final String label;
        private final boolean moreIsBetter;
        private final Function<CellResult, @Nullable Double> figure;

        Metric(String label, boolean moreIsBetter, Function<CellResult, @Nullable Double> figure) {
            this.label = label;
            this.moreIsBetter = moreIsBetter;
            this.figure = figure;
        }

        /** The name shown to people. */
        public String label() {
            return label;
        }

        boolean moreIsBetter() {
            return moreIsBetter;
        }

        /**
         * The figures that decide whether servers differ. Where they were measured together, all got equally many
         * requests, so that throughput says nothing of what one of them can do.
         */
        public static List<Metric> deciding(boolean together) {
            return together ? List.of(CPU) : List.of(THROUGHPUT, CPU);
        }
    }

    /**
     * How sure intervals must be. Immutable.
     *
     * @param error share of the intervals of one question that may miss the truth
     * @param early whether the intervals were looked at during the run, which ended when they decided
     */
    record Confidence(double error, boolean early) {

        static final Confidence ONE_QUESTION = new Confidence(Interval.ERROR, false);

        /** By Bonferroni's correction, one of the intervals of all questions misses with a chance of 5 % at most. */
        static Confidence of(int questions, boolean early) {
            return new Confidence(Interval.ERROR / Math.max(1, questions), early);
        }
    }

    /**
     * The ratio B / A of one figure in one cell.
     *
     * @param ratio geometric mean of the pairs' ratios
     * @param low   lower end of its interval; NaN if there are too few pairs for one
     * @param high  upper end
     * @param pairs number of repetitions that both runs have
     */
    public record Ratio(double ratio, double low, double high, int pairs) {

        /** The ratio with its 95 % interval. */
        static Ratio of(List<Double> ratios) {
            return of(ratios, Confidence.ONE_QUESTION);
        }

        static Ratio of(List<Double> ratios, Confidence confidence) {
            List<Double> all = ratios.stream().map(Math::log).toList();
            Interval logs = confidence.early()
                    ? Interval.sequential(all, confidence.error())
                    : Interval.of(all, confidence.error());
            return new Ratio(
                    Math.exp(logs.mean()),
                    Math.exp(logs.mean() - logs.half()),
                    Math.exp(logs.mean() + logs.half()),
                    logs.n());
        }

        /** Whether there is an interval. */
        public boolean hasInterval() {
            return !Double.isNaN(low);
        }

        /** Whether the interval says something: that of two values that differ may reach over powers of ten. */
        public boolean isNarrow() {
            return high < low * WIDEST;
        }

        /** The ratio and its interval, as a text of the report. */
        public String text() {
            String middle = FigureFormat.number(ratio);
            if (!hasInterval()) {
                return middle;
            }
            return middle
                    + (isNarrow()
                            ? " [" + FigureFormat.number(low) + ", " + FigureFormat.number(high) + "]"
                            : " " + TOO_WIDE);
        }
    }

    /**
     * The reason why a cell, or some of its repetitions, cannot be compared. Immutable.
     *
     * @param text        the reason for people
     * @param onlyInvalid whether the cell is invalid but has no wrong or missing answer
     */
    public record NotComparable(String text, boolean onlyInvalid) {

        /** The reason against one run's repetitions of a cell; null for none. */
        static @Nullable NotComparable of(String run, @Nullable Aggregate cell) {
            if (cell == null) {
                return new NotComparable(run + ": missing", false);
            }
            List<CellResult> wrong = cell.repetitions().stream()
                    .filter(one -> one.valid() && one.errorCount() > 0)
                    .toList();
            List<CellResult> bad = wrong.isEmpty()
                    ? cell.repetitions().stream().filter(one -> !one.valid()).toList()
                    : wrong;
            if (bad.isEmpty()) {
                return null;
            }
            int all = cell.repetitions().size();
            String which = all == 1 ? run : run + ", " + bad.size() + " of " + all;
            CellResult first = bad.get(0);
            return new NotComparable(
                    which + ": " + (wrong.isEmpty() ? first.verdict() : "errors: " + ResultLine.errors(first)),
                    wrong.isEmpty());
        }
    }

    /**
     * One cell of A.
     *
     * @param label      its variant
     * @param parameters its settings
     * @param ratios     ratios of the figures that both runs have
     * @param lost       figures that A has and B has not
     * @param few        whether there is no ratio of CPU times because both servers used a few ticks at most
     * @param inB        reason against comparing B's cell; null for none
     * @param inA        reason against comparing A's cell; null for none
     */
    public record Row(
            String label,
            Map<String, String> parameters,
            Map<Metric, Ratio> ratios,
            Set<Metric> lost,
            boolean few,
            @Nullable NotComparable inB,
            @Nullable NotComparable inA) {

        /** Whether a clock has said how many requests there are (open model). */
        boolean isOfRate() {
            return parameters.containsKey("rate");
        }

        /**
         * Whether there is a verdict by this figure. The clock of the open model sends each server equally many requests,
         * whatever it could take.
         */
        public boolean isDecidedBy(Metric metric, List<Metric> deciding) {
            return deciding.contains(metric) && !(metric == Metric.THROUGHPUT && isOfRate());
        }

        /** The reason why the deciding figures do not clear B; null if they decide. */
        public @Nullable NotComparable notComparable(List<Metric> deciding) {
            if (inB != null && !(inB.onlyInvalid() && hasIntervals(deciding))) {
                return inB;
            }
            List<Metric> missing = deciding.stream().filter(lost::contains).toList();
            if (!missing.isEmpty()) {
                return new NotComparable("B: no " + labels(missing) + " to compare with A's", false);
            }
            if (deciding.stream().anyMatch(ratios::containsKey)) {
                return null;
            }
            if (few && inA == null && deciding.contains(Metric.CPU)) {
                return new NotComparable(
                        "too little server CPU for the kernel's ticks of 10 ms, take longer windows", true);
            }
            return inA != null ? inA : new NotComparable("A: no " + labels(deciding), false);
        }

        /** Whether the repetitions that are left decide: those that are invalid say nothing against B. */
        boolean hasIntervals(List<Metric> deciding) {
            List<Ratio> known =
                    deciding.stream().map(ratios::get).filter(Objects::nonNull).toList();
            return !known.isEmpty() && known.stream().allMatch(Ratio::hasInterval);
        }

        /** Why repetitions of B were left out; null if none were, or nothing is left that decides. */
        public @Nullable NotComparable leftOut(List<Metric> deciding) {
            return notComparable(deciding) == null ? inB : null;
        }

        private static String labels(List<Metric> metrics) {
            return metrics.stream().map(Metric::label).collect(Collectors.joining(" and no "));
        }
    }

    /**
     * Compares run B with run A. If each has one variant, their labels may differ; otherwise variants of the same label
     * are compared. The intervals of all cells hold together with a chance of 95 %.
     *
     * @param figures number of figures of each cell that decide
     * @param early   whether the runs ended when their intervals decided
     * @throws IllegalArgumentException if there are several and no label is in both; the message is for people
     */
    public static Comparison of(List<CellResult> a, List<CellResult> b, int figures, boolean early) {
        Set<String> labels = labels(a);
        Set<String> others = labels(b);
        boolean labelled = labels.size() > 1 || others.size() > 1;
        if (labelled && Collections.disjoint(labels, others)) {
            throw new IllegalArgumentException("the runs have no variant in common (" + names(labels) + "; "
                    + names(others) + "), name one of each by #LABEL");
        }
        List<Aggregate> partners = Aggregate.of(b);
        List<Aggregate> cells = Aggregate.of(a);
        Confidence confidence = Confidence.of(cells.size() * figures, early);
        List<Row> rows = cells.stream()
                .map(first -> row(
                        confidence,
                        first,
                        partners.stream()
                                .filter(one -> one.parameters().equals(first.parameters()))
                                .filter(one -> !labelled || one.label().equals(first.label()))
                                .findFirst()
                                .orElse(null)))
                .toList();
        return new Comparison(labelled, early, rows);
    }

    /** The names of the cells that B has and A has not, which are in no row. */
    public List<String> without(List<CellResult> b) {
        return Aggregate.of(b).stream()
                .filter(one -> rows.stream()
                        .noneMatch(row -> row.parameters().equals(one.parameters())
                                && (!labelled || row.label().equals(one.label()))))
                .map(one -> ResultLine.name(labelled ? one.label() : "", one.parameters()))
                .toList();
    }

    /** The row of the same cell in another comparison of the same A; null if there is none. */
    public @Nullable Row like(Row row) {
        return rows.stream()
                .filter(one ->
                        one.label().equals(row.label()) && one.parameters().equals(row.parameters()))
                .findFirst()
                .orElse(null);
    }

    /** The name of a row for people, with the variant if there are several. */
    public String name(Row row) {
        return ResultLine.name(labelled ? row.label() : "", row.parameters());
    }

    private static Set<String> labels(List<CellResult> cells) {
        return cells.stream().map(CellResult::label).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String names(Set<String> labels) {
        return labels.stream()
                .map(label -> label.isEmpty() ? "one without a name" : label)
                .collect(Collectors.joining(", "));
    }

    private static Row row(Confidence confidence, Aggregate a, @Nullable Aggregate b) {
        Map<Metric, Ratio> ratios = new LinkedHashMap<>();
        Set<Metric> lost = EnumSet.noneOf(Metric.class);
        for (Metric metric : Metric.values()) {
            List<Double> pairs = b == null ? List.of() : pairs(metric, a, b);
            if (!pairs.isEmpty()) {
                ratios.put(metric, Ratio.of(pairs, confidence));
            } else if (a.sound().stream().anyMatch(cell -> known(metric.figure.apply(cell)))) {
                lost.add(metric);
            }
        }
        boolean few = !ratios.containsKey(Metric.CPU) && b != null && isFew(a) && isFew(b);
        if (few) {
            // Which of two windows shows a tick is chance, and says nothing against B.
            lost.remove(Metric.CPU);
        }
        return new Row(
                a.label(), a.parameters(), ratios, lost, few, NotComparable.of("B", b), NotComparable.of("A", a));
    }

    private static boolean isFew(Aggregate cell) {
        return cell.sound().stream().allMatch(one -> {
            Double seconds = one.cpu().server();
            return seconds != null && seconds < FEW_TICKS_SECONDS;
        });
    }

    private static List<Double> pairs(Metric metric, Aggregate a, Aggregate b) {
        List<Double> pairs = new ArrayList<>();
        for (CellResult one : a.sound()) {
            for (CellResult other : b.sound()) {
                Double before = metric.figure.apply(one);
                Double after = metric.figure.apply(other);
                if (one.repetition() == other.repetition()
                        && before != null
                        && after != null
                        && known(before)
                        && known(after)) {
                    pairs.add(after / before);
                }
            }
        }
        return pairs;
    }

    private static boolean known(@Nullable Double figure) {
        return figure != null && figure > 0;
    }
}
