package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.Target;
import dev.millrace.load.report.Comparison;
import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.report.ComparisonFiles;
import dev.millrace.load.report.Outcomes;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.server.Servers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options for measuring until it is known whether the servers differ, and the verdicts. Rounds follow each other,
 * each of which measures every cell that is undecided once, until none is or the time is spent.
 */
final class Deciding {

    /** Fewer rounds do not show whether windows resemble their predecessors. */
    private static final int LEAST_ROUNDS = 8;

    /** A bound against mistakes, which no run is meant to reach. */
    static final int MOST_ROUNDS = 10_000;

    private static final String MARGIN = "5";

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            description = "With several URLs: measures round after round, until each cell is worse, better or no "
                    + "different from that of the first URL, or this time is spent; the last line says it all.")
    private @Nullable Duration budget;

    @Option(
            names = "--margin",
            paramLabel = "PERCENT",
            description = "With --budget: a difference in throughput and server CPU that does not matter "
                    + "(default: " + MARGIN + ").")
    private @Nullable String margin;

    @Option(
            names = "--comparison-json",
            paramLabel = "FILE",
            description = "With --budget and two URLs: writes ratios and verdicts as JSON, as compare --json does.")
    private @Nullable Path json;

    @Option(
            names = "--comparison-markdown",
            paramLabel = "FILE",
            description = "With --budget and two URLs: writes a table for a comment on a pull request.")
    private @Nullable Path markdown;

    @Option(
            names = "--together",
            description = "With several URLs: the servers are measured in one window, in which the clients turn to one "
                    + "after the other every few requests, so that what else the machine does happens to all. The CPU "
                    + "for each request alone decides then: all get equally many requests, whatever they could take.")
    private boolean together;

    void validate(int urls, int repeat) {
        require(!together || urls > 1, "--together compares servers: name several URLs");
        require(
                (json == null && markdown == null) || (budget != null && urls == 2),
                "--comparison-json and --comparison-markdown take --budget and two URLs");
        require(budget == null || urls > 1, "--budget compares servers: name several URLs");
        require(budget == null || repeat == 1, "--budget and --repeat exclude each other");
        require(budget == null || (!budget.isZero() && !budget.isNegative()), "--budget must be above 0");
        require(margin == null || budget != null, "--margin takes --budget");
        require(marginPercent() > 0, "--margin must be above 0");
    }

    /** The files that the user has named, by their options. */
    Map<String, Path> files() {
        Map<String, Path> files = new LinkedHashMap<>();
        if (json != null) {
            files.put("--comparison-json", json);
        }
        if (markdown != null) {
            files.put("--comparison-markdown", markdown);
        }
        return files;
    }

    private double marginPercent() {
        return Units.percent("--margin", margin == null ? MARGIN : margin);
    }

    /** Whether the run goes on until its questions are decided. */
    boolean goesOn() {
        return budget != null;
    }

    /** Whether the servers are measured at the same time. */
    boolean together() {
        return together;
    }

    int mostRounds() {
        return MOST_ROUNDS;
    }

    /** The settings for the report. */
    Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        if (together) {
            facts.put(RunFile.TOGETHER, "clients take turns, so that throughput is the same, and server CPU decides");
        }
        if (budget != null) {
            facts.put(RunFile.BUDGET, RunSettings.text(budget));
            facts.put(RunFile.MARGIN, Double.toString(marginPercent()));
        }
        return facts;
    }

    /** Whether there is time for another round. */
    boolean hasTime(long startNanos, int roundsDone) {
        long spent = System.nanoTime() - startNanos;
        return roundsDone == 0 || budget == null || spent + spent / roundsDone <= budget.toNanos();
    }

    /**
     * The cells whose questions are undecided, and may still be decided.
     *
     * @param control    label of the server that the others are compared with
     * @param roundsDone rounds so far; the first few measure all cells
     */
    List<Cell> undecided(List<Cell> cells, List<CellResult> results, String control, int roundsDone) {
        if (roundsDone < LEAST_ROUNDS) {
            return cells;
        }
        Set<Map<String, String>> open = outcomes(results, control).lines().stream()
                .filter(Outcomes.Line::open)
                .map(line -> line.row().parameters())
                .collect(Collectors.toSet());
        return cells.stream().filter(cell -> open.contains(cell.parameters())).toList();
    }

    /**
     * Writes the comparison of two servers into the files that the user wants.
     *
     * @param servers the two, the control first
     */
    void write(List<CellResult> results, List<Servers.Entry> servers) {
        if (json == null && markdown == null) {
            return;
        }
        Servers.Entry a = servers.get(0);
        Servers.Entry b = servers.get(1);
        ComparisonFiles files = new ComparisonFiles(
                Target.withoutPasswords(a.target().uri().toString()),
                Target.withoutPasswords(b.target().uri().toString()),
                comparison(byLabel(results), a.label(), b.label()),
                Metric.deciding(together),
                marginPercent());
        if (json != null) {
            OutputFolder.write(json, files.json());
        }
        if (markdown != null) {
            OutputFolder.write(markdown, files.markdown());
        }
    }

    private static Map<String, List<CellResult>> byLabel(List<CellResult> results) {
        return results.stream()
                .collect(Collectors.groupingBy(CellResult::label, LinkedHashMap::new, Collectors.toList()));
    }

    private Comparison comparison(Map<String, List<CellResult>> servers, String control, String label) {
        return Comparison.of(
                servers.getOrDefault(control, List.of()),
                servers.getOrDefault(label, List.of()),
                Metric.deciding(together).size() * (servers.size() - 1),
                true);
    }

    /** The verdict on each cell of each server but the control. */
    Outcomes outcomes(List<CellResult> results, String control) {
        Map<String, List<CellResult>> servers = byLabel(results);
        return Outcomes.all(servers.keySet().stream()
                .filter(label -> !label.equals(control))
                .map(label -> Outcomes.of(
                                comparison(servers, control, label), Metric.deciding(together), marginPercent())
                        .named(servers.size() > 2 ? label + " " : ""))
                .toList());
    }
}
