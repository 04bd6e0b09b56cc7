package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.report.Comparison;
import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.report.Outcomes;
import dev.millrace.load.report.Outcomes.Outcome;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellResult;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/**
 * The options for measuring until it is known whether the servers differ, and the verdicts. Rounds follow each other,
 * each of which measures every cell that is undecided once, until none is or the time is spent.
 */
final class Deciding {

    /** Fewer rounds do not show whether windows resemble their predecessors. */
    private static final int LEAST_ROUNDS = 8;

    private static final int MOST_ROUNDS = 10_000;
    private static final List<Metric> FIGURES = List.of(Metric.THROUGHPUT, Metric.CPU);
    private static final String MARGIN = "5";

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            description = "With several URLs: measures round after round, until each cell is worse, better or no "
                    + "different from that of the first URL, or this time is spent; the last line says it all.")
    private Duration budget;

    @Option(
            names = "--margin",
            defaultValue = MARGIN,
            paramLabel = "PERCENT",
            description = "With --budget: a difference in throughput and server CPU that does not matter "
                    + "(default: ${DEFAULT-VALUE}).")
    private String margin;

    void validate(int urls, int repeat) {
        require(budget == null || urls > 1, "--budget compares servers: name several URLs");
        require(budget == null || repeat == 1, "--budget and --repeat exclude each other");
        require(budget == null || (!budget.isZero() && !budget.isNegative()), "--budget must be above 0");
        require(marginPercent() > 0, "--margin must be above 0");
    }

    private double marginPercent() {
        return Units.percent("--margin", margin);
    }

    /** Whether the run goes on until its questions are decided. */
    boolean goesOn() {
        return budget != null;
    }

    int mostRounds() {
        return MOST_ROUNDS;
    }

    /** The settings for the report. */
    Map<String, String> facts() {
        return goesOn()
                ? Map.of(RunFile.BUDGET, Units.text(budget), RunFile.MARGIN, Double.toString(marginPercent()))
                : Map.of();
    }

    /** Whether there is time for another round. */
    boolean hasTime(long startNanos, int roundsDone) {
        long spent = System.nanoTime() - startNanos;
        return roundsDone == 0 || spent + spent / roundsDone <= budget.toNanos();
    }

    /** The cells whose questions are undecided. */
    List<Cell> undecided(List<Cell> cells, List<CellResult> results, String control, int roundsDone) {
        if (roundsDone < LEAST_ROUNDS) {
            return cells;
        }
        Set<Map<String, String>> open = outcomes(results, control).lines().stream()
                .filter(line -> line.outcome() == Outcome.UNDECIDED)
                .map(line -> line.row().parameters())
                .collect(Collectors.toSet());
        return cells.stream().filter(cell -> open.contains(cell.parameters())).toList();
    }

    /** The verdict on each cell of each server but the control. */
    Outcomes outcomes(List<CellResult> results, String control) {
        Map<String, List<CellResult>> servers = results.stream()
                .collect(Collectors.groupingBy(CellResult::label, LinkedHashMap::new, Collectors.toList()));
        return Outcomes.all(servers.keySet().stream()
                .filter(label -> !label.equals(control))
                .map(label -> Outcomes.of(
                                Comparison.of(
                                        servers.getOrDefault(control, List.of()),
                                        servers.get(label),
                                        FIGURES.size() * (servers.size() - 1),
                                        true),
                                FIGURES,
                                marginPercent())
                        .named(servers.size() > 2 ? label + " " : ""))
                .toList());
    }
}
