package dev.millrace.pages;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A table of goals: the newest figure, and how many runs of each machine and JDK reached it. A line {@code goal:} names
 * its figure by {@code workload}, {@code server} and {@code measure}, and its limit by {@code most} or {@code least}.
 * With {@code of}, the limit is one of the figure as a multiple of that server's in the same run.
 */
final class Goals {
    private static final List<String> HEADING =
            List.of("goal", "limit", "newest, AMD", "runs, AMD", "runs, AMD, JDK 17", "runs, Intel");

    private final Block.Line goal;
    private final Results results;
    private final boolean isMost;
    private final BigDecimal limit;

    private Goals(Block.Line goal, Results results) {
        this.goal = goal;
        this.results = results;
        String most = goal.keys().get("most");
        String least = goal.keys().get("least");
        isMost = most != null;
        String bound = isMost ? most : least;
        if (bound == null || (most != null && least != null)) {
            throw new IllegalArgumentException("neither most nor least, or both: " + goal.text());
        }
        limit = new BigDecimal(bound);
    }

    static String of(Block block, Results results) {
        StringBuilder table = new StringBuilder();
        table.append(ResultTable.row(HEADING))
                .append("|---|---")
                .append("|---:".repeat(HEADING.size() - 2))
                .append("|\n");
        block.lines("goal").forEach(goal -> table.append(new Goals(goal, results).row()));
        return table.toString();
    }

    private String row() {
        List<Figure> newest = measured("AMD", "25");
        return ResultTable.row(List.of(
                goal.text(),
                limitShown(),
                newest.isEmpty() ? "" : shown(newest.get(newest.size() - 1)),
                reached(newest),
                reached(measured("AMD", "17")),
                reached(measured("Intel", "25"))));
    }

    private String limitShown() {
        String of = goal.keys().get("of");
        String unit = of == null ? results.name("measure", goal.keys().getOrDefault("measure", "")) : "";
        Figure figure = new Figure("", limit.toPlainString(), unit);
        return (isMost ? "at most " : "at least ")
                + figure.shownWithUnit()
                + (of == null ? "" : " of " + results.name("server", of));
    }

    /** The figure for a cell, bold if it misses its goal. */
    private String shown(Figure figure) {
        return isReached(figure) ? figure.shown() : "**" + figure.shown() + "**";
    }

    private boolean isReached(Figure figure) {
        int compared = figure.number().compareTo(limit);
        return isMost ? compared <= 0 : compared >= 0;
    }

    private String reached(List<Figure> measured) {
        return measured.isEmpty()
                ? ""
                : measured.stream().filter(this::isReached).count() + " of " + measured.size();
    }

    /** The figures of all runs with that machine and JDK, the oldest first. */
    private List<Figure> measured(String machine, String jdk) {
        List<Figure> measured = new ArrayList<>();
        for (Csv.Row run : results.runs()) {
            if (run.get("machine").startsWith(machine) && run.get("jdk").matches("\\w+ " + jdk + "\\b.*")) {
                figureOf(run.get("run")).ifPresent(measured::add);
            }
        }
        return measured;
    }

    private Optional<Figure> figureOf(String run) {
        Map<String, String> keys = new HashMap<>(goal.keys());
        keys.put("run", run);
        return results.find(keys);
    }
}
