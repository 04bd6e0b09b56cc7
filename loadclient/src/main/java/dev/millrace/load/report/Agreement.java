package dev.millrace.load.report;

import dev.millrace.load.classics.Claim;
import dev.millrace.load.classics.Experiment;
import dev.millrace.load.classics.Row;
import dev.millrace.load.report.Comparison.Ratio;
import java.util.ArrayList;
import java.util.List;

/**
 * Two runs of the same experiment: whether the intervals of their ratios meet. Of two runs of the same servers on the same
 * machine nearly all do: 95 % intervals that are as wide as each other stay apart about once in two hundred. Ratios only:
 * the machine may be faster for all on another day. A ratio that only one of them has does not agree, if the other asked
 * for it too. Immutable.
 *
 * @param lines a line for each ratio that one of them has
 */
public record Agreement(List<Line> lines) {

    /**
     * One ratio.
     *
     * @param text   of what
     * @param first  in one run; null if there is none
     * @param second in the other
     */
    record Line(String text, Ratio first, Ratio second) {

        boolean agrees() {
            return isInBoth() && first.low() <= second.high() && second.low() <= first.high();
        }

        boolean isInBoth() {
            return hasInterval(first) && hasInterval(second);
        }

        String decision() {
            return agrees() ? "meet" : isInBoth() ? "APART" : "MISSING in " + (hasInterval(first) ? "second" : "first");
        }
    }

    /**
     * Compares what rows are compared with, and what claims are decided by.
     *
     * @throws IllegalArgumentException if these are not two runs of one experiment, repeated more than once
     */
    public static Agreement of(RunFile first, RunFile second) {
        Experiment experiment = first.experiment();
        if (experiment == null || second.experiment() == null || !experiment.name().equals(second.experiment().name())) {
            throw new IllegalArgumentException("these are not two replays of the same experiment");
        }
        Repeated one = new Repeated(first);
        Repeated other = new Repeated(second);
        List<Line> lines = new ArrayList<>();
        for (Row row : experiment.rows()) {
            if (row.base() != null) {
                add(lines, row.text(), one, other, new Claim.Compared(Repeated.THROUGHPUT, row.id(), row.base(), null, null, null));
            }
        }
        for (Claim claim : experiment.claims()) {
            claim.compare().stream().filter(compared -> compared.b() != null)
                    .forEach(compared -> add(lines, claim.text(), one, other, compared));
        }
        if (lines.stream().noneMatch(Line::isInBoth)) {
            throw new IllegalArgumentException("these runs have no ratio with an interval in common");
        }
        return new Agreement(List.copyOf(lines));
    }

    private static void add(List<Line> lines, String text, Repeated one, Repeated other, Claim.Compared compared) {
        if (!asked(one, compared) || !asked(other, compared)) {
            return;
        }
        Ratio first = ratio(one, compared);
        Ratio second = ratio(other, compared);
        if (hasInterval(first) || hasInterval(second)) {
            lines.add(new Line(text, first, second));
        }
    }

    /** The short form has fewer rows, and not every run has peers. */
    private static boolean asked(Repeated run, Claim.Compared compared) {
        return run.row(compared.a()) != null && run.row(compared.b()) != null;
    }

    private static boolean hasInterval(Ratio ratio) {
        return ratio != null && !Double.isNaN(ratio.low());
    }

    private static Ratio ratio(Repeated run, Claim.Compared compared) {
        return run.ratio(compared.figure(), run.row(compared.a()), run.row(compared.b()), null);
    }

    /** Whether both have each ratio, and its intervals meet. */
    public boolean complete() {
        return lines.stream().allMatch(Line::agrees);
    }

    /** The table, and how many agree. */
    public String text() {
        Table table = new Table("Ratios of two runs", List.of("ratio", "first", "second", "intervals"), lines.stream()
                .map(line -> List.of(line.text(), ThenAndNow.text(line.first()), ThenAndNow.text(line.second()),
                        line.decision())).toList());
        return table.text() + lines.stream().filter(Line::agrees).count() + " of " + lines.size() + " agree";
    }
}
