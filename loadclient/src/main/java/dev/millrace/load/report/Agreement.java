package dev.millrace.load.report;

import dev.millrace.load.experiment.Claim;
import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.report.Comparison.Ratio;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether two runs of the same experiment agree: whether the intervals of their ratios, as the page has them,
 * overlap. Those of equal width miss each other about once in two hundred ratios when nothing has changed, if they are
 * of 95 %. Where there may be further rounds they are of 97.5 %, and that is about once in seven to nine hundred. Only
 * ratios are compared, because a machine may be faster for all servers on another day. A ratio that one run lacks does
 * not agree. Immutable.
 *
 * @param lines a line for each ratio that one of the runs has and both asked for
 */
public record Agreement(List<Line> lines) {

    /**
     * One ratio in both runs. Immutable.
     *
     * @param text   name of the ratio
     * @param first  the ratio in the first run; null if it is missing
     * @param second the ratio in the second run; null if it is missing
     */
    record Line(
            String text, @Nullable Ratio first, @Nullable Ratio second) {

        boolean agrees() {
            return first != null
                    && second != null
                    && isInBoth()
                    && first.low() <= second.high()
                    && second.low() <= first.high();
        }

        boolean isInBoth() {
            return hasInterval(first) && hasInterval(second);
        }

        String decision() {
            return agrees() ? "meet" : isInBoth() ? "APART" : "MISSING in " + (hasInterval(first) ? "second" : "first");
        }
    }

    /**
     * Compares the ratios of rows with their base rows, and the ratios that decide claims.
     *
     * @throws IllegalArgumentException if the runs are not of one experiment, or have no interval in common
     */
    public static Agreement of(RunFile first, RunFile second) {
        Experiment experiment = first.experiment();
        Experiment others = second.experiment();
        if (experiment == null || others == null || !experiment.name().equals(others.name())) {
            throw new IllegalArgumentException("these are not two replays of the same experiment");
        }
        ExperimentResults one = new ExperimentResults(first);
        ExperimentResults other = new ExperimentResults(second);
        List<Line> lines = new ArrayList<>();
        for (Row row : experiment.rows()) {
            if (row.base() != null) {
                add(
                        lines,
                        row.text(),
                        one,
                        other,
                        new Claim.Compared(ExperimentResults.THROUGHPUT, row.id(), row.base(), null, null, null));
            }
        }
        for (Claim claim : experiment.claims()) {
            claim.compare().stream()
                    .filter(compared -> compared.b() != null)
                    .forEach(compared -> add(lines, claim.text(), one, other, compared));
        }
        if (lines.stream().noneMatch(Line::isInBoth)) {
            throw new IllegalArgumentException("these runs have no ratio with an interval in common");
        }
        return new Agreement(List.copyOf(lines));
    }

    private static void add(
            List<Line> lines, String text, ExperimentResults one, ExperimentResults other, Claim.Compared compared) {
        if (!asked(one, compared) || !asked(other, compared)) {
            return;
        }
        Ratio first = ratio(one, compared);
        Ratio second = ratio(other, compared);
        if (hasInterval(first) || hasInterval(second)) {
            lines.add(new Line(text, first, second));
        }
    }

    /** Whether a run has both rows: the short form has fewer of them, and not every run has peers. */
    private static boolean asked(ExperimentResults run, Claim.Compared compared) {
        return run.row(compared.a()) != null && run.row(compared.b()) != null;
    }

    private static boolean hasInterval(@Nullable Ratio ratio) {
        return ratio != null && !Double.isNaN(ratio.low());
    }

    private static @Nullable Ratio ratio(ExperimentResults run, Claim.Compared compared) {
        return run.ratio(compared.figure(), run.row(compared.a()), run.row(compared.b()), null);
    }

    /** Whether both runs have each ratio, and its intervals overlap. */
    public boolean complete() {
        return lines.stream().allMatch(Line::agrees);
    }

    /** The ratios as a table, and the number of those that agree. */
    public String text() {
        Table table = new Table(
                "Ratios of two runs",
                List.of("ratio", "first", "second", "intervals"),
                lines.stream()
                        .map(line -> List.of(
                                line.text(),
                                ExperimentTables.text(line.first()),
                                ExperimentTables.text(line.second()),
                                line.decision()))
                        .toList());
        return table.text() + lines.stream().filter(Line::agrees).count() + " of " + lines.size() + " agree";
    }
}
