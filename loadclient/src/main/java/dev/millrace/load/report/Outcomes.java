package dev.millrace.load.report;

import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.report.Comparison.Ratio;
import dev.millrace.load.run.CellResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The verdict on each cell of a comparison. A cell is worse if one deciding figure is, and otherwise better if one is.
 * It shows no difference if one figure does and the others are undecided: the server's CPU time decides where
 * throughput cannot. Immutable.
 *
 * @param lines a line for each cell
 */
public record Outcomes(List<Line> lines) {

    /** What became of a question. */
    public enum Outcome {
        /** The whole interval is worse than the margin allows. */
        WORSE("worse"),
        /** The whole interval is better than the margin. */
        BETTER("better"),
        /** The whole interval lies within the margin. */
        NO_DIFFERENCE("no difference"),
        /** The interval reaches across an end of the margin, or there is none. */
        UNDECIDED("undecided");

        private final String label;

        Outcome(String label) {
            this.label = label;
        }

        /** The word for people. */
        public String label() {
            return label;
        }

        /**
         * The verdict on one ratio. A single pair has no interval: it is worse if the ratio itself lies beyond, unless
         * more rounds could have followed.
         *
         * @param marginPercent difference that does not matter
         * @param early         whether the runs ended when their intervals decided
         */
        public static Outcome of(Metric metric, Ratio ratio, double marginPercent, boolean early) {
            double limit = 1 + marginPercent / 100;
            double low = metric.moreIsBetter() ? ratio.low() : 1 / ratio.high();
            double high = metric.moreIsBetter() ? ratio.high() : 1 / ratio.low();
            if (ratio.pairs() == 1) {
                double gain = metric.moreIsBetter() ? ratio.ratio() : 1 / ratio.ratio();
                return gain < 1 / limit && !early ? WORSE : UNDECIDED;
            }
            if (high < 1 / limit) {
                return WORSE;
            }
            if (low > limit) {
                return BETTER;
            }
            return low >= 1 / limit && high <= limit ? NO_DIFFERENCE : UNDECIDED;
        }
    }

    /**
     * The verdict on one cell. Immutable.
     *
     * @param row     the cell
     * @param name    its name for people
     * @param outcome the verdict
     * @param reason  the figure that decides, or why none does
     * @param open    whether further rounds may change the verdict
     * @param decides whether sound repetitions decide, so that those that are invalid say nothing
     */
    public record Line(
            Comparison.Row row, String name, Outcome outcome, String reason, boolean open, boolean decides) {}

    /**
     * The verdicts.
     *
     * @param deciding      figures that decide
     * @param marginPercent difference that does not matter
     */
    public static Outcomes of(Comparison comparison, List<Metric> deciding, double marginPercent) {
        return new Outcomes(comparison.rows().stream()
                .map(row -> line(comparison, row, deciding, marginPercent))
                .toList());
    }

    private static Line line(Comparison comparison, Comparison.Row row, List<Metric> deciding, double marginPercent) {
        String name = comparison.name(row);
        Comparison.NotComparable bad = row.notComparable(deciding);
        Map<Outcome, String> reasons = new LinkedHashMap<>();
        for (Metric metric : deciding) {
            Ratio ratio = row.ratios().get(metric);
            if (ratio != null && row.isDecidedBy(metric, deciding)) {
                reasons.merge(
                        Outcome.of(metric, ratio, marginPercent, comparison.early()),
                        metric.label() + " " + ratio.text(),
                        (a, b) -> a + ", " + b);
            }
        }
        for (Outcome outcome : Outcome.values()) {
            String reason = reasons.get(outcome);
            if (reason != null && (bad == null || outcome == Outcome.WORSE)) {
                boolean open = outcome == Outcome.UNDECIDED;
                boolean decides = (bad == null || bad.onlyInvalid()) && (!open || row.hasIntervals(deciding));
                return new Line(row, name, outcome, reason, open, decides);
            }
        }
        String reason =
                bad != null ? bad.text() : row.isOfRate() ? "the rate says nothing, and no server CPU is known" : "";
        return new Line(row, name, Outcome.UNDECIDED, reason, isOpen(bad, reasons.keySet()), false);
    }

    /**
     * Whether rounds may still decide on a cell that has no verdict for a reason. Invalid repetitions are left out when
     * sound ones follow. A wrong or missing answer stays, and such a cell can only become worse. Its figures tell that
     * no more when all of its sound repetitions have decided, or when there are none.
     */
    private static boolean isOpen(Comparison.@Nullable NotComparable bad, Set<Outcome> figures) {
        return bad == null || bad.onlyInvalid() || figures.equals(Set.of(Outcome.UNDECIDED));
    }

    /** The same verdicts with longer names. */
    public Outcomes named(String prefix) {
        return new Outcomes(lines.stream()
                .map(line -> new Line(
                        line.row(), prefix + line.name(), line.outcome(), line.reason(), line.open(), line.decides()))
                .toList());
    }

    /** The verdicts of several comparisons together. */
    public static Outcomes all(List<Outcomes> several) {
        return new Outcomes(
                several.stream().flatMap(one -> one.lines().stream()).toList());
    }

    /** Whether some cell has this verdict. */
    public boolean has(Outcome outcome) {
        return lines.stream().anyMatch(line -> line.outcome() == outcome);
    }

    /**
     * The repetitions that count for these verdicts. One that is invalid is left out if others decide on the cells of
     * its settings. One that Ctrl-C has ended counts, for the run was to go on.
     */
    public List<CellResult> counted(List<CellResult> repetitions) {
        return repetitions.stream().filter(one -> !leaveOut(one)).toList();
    }

    private boolean leaveOut(CellResult repetition) {
        List<Line> same = lines.stream()
                .filter(line -> line.row().parameters().equals(repetition.parameters()))
                .toList();
        return !repetition.valid()
                && !repetition.stoppedEarly()
                && !same.isEmpty()
                && same.stream().allMatch(Line::decides);
    }

    /** All verdicts in one line, with the cells that are worse, better or undecided, and the reasons. */
    public String summary() {
        List<String> parts = new ArrayList<>();
        for (Outcome outcome : Outcome.values()) {
            List<Line> some =
                    lines.stream().filter(line -> line.outcome() == outcome).toList();
            String cells = outcome == Outcome.NO_DIFFERENCE || some.isEmpty()
                    ? ""
                    : " ("
                            + String.join(
                                    "; ",
                                    some.stream()
                                            .map(line -> (line.name() + ": " + line.reason()).strip())
                                            .toList())
                            + ")";
            if (!some.isEmpty()) {
                parts.add(String.format(
                        Locale.ROOT, "%s in %d of %d%s", outcome.label(), some.size(), lines.size(), cells));
            }
        }
        return "verdict: " + (parts.isEmpty() ? "nothing was compared" : String.join(", ", parts));
    }
}
