package dev.millrace.load.cli;

import dev.millrace.load.report.JunitFile;
import dev.millrace.load.report.JunitFile.Case;
import dev.millrace.load.report.JunitFile.Outcome;
import dev.millrace.load.report.OpenMetricsFile;
import dev.millrace.load.report.Outcomes;
import dev.millrace.load.report.ResultLine;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The files that a run writes for build servers and collectors, and their options. */
final class BuildFiles {

    @Option(
            names = "--junit",
            paramLabel = "FILE",
            description =
                    "Writes JUnit's XML for a build server: a test case for each cell, for each --fail-if on it, and for "
                            + "each verdict of --budget.")
    private @Nullable Path junit;

    @Option(
            names = "--openmetrics",
            paramLabel = "FILE",
            description = "Writes the figures in the text format of OpenMetrics, for Prometheus and others.")
    private @Nullable Path openMetrics;

    /**
     * Writes the files that the user wants.
     *
     * @param title    name of the run
     * @param started  ISO 8601 time
     * @param results  cells with their repetitions
     * @param gates    conditions
     * @param forgiven whether errors do not count, by {@code --max-errors}
     * @param flaw     why the run as a whole is not good, for people; null if there is no reason
     * @param outcomes verdicts on the cells of servers that were compared; without a line if none were
     */
    void write(
            String title,
            String started,
            List<CellResult> results,
            List<Gate> gates,
            boolean forgiven,
            @Nullable String flaw,
            Outcomes outcomes) {
        Path file = junit;
        if (file != null) {
            try {
                List<Case> cases = cases(results, gates, forgiven, flaw, outcomes);
                outcomes.lines().forEach(line -> cases.add(notWorse(line)));
                JunitFile.write(file, title, started, cases);
            } catch (IOException e) {
                throw OutputFolder.unwritable(file, e);
            }
        }
        if (openMetrics != null) {
            OutputFolder.write(openMetrics, OpenMetricsFile.of(results));
        }
    }

    /** The files that the user has named, by their options. */
    Map<String, Path> files() {
        Map<String, Path> files = new LinkedHashMap<>();
        if (junit != null) {
            files.put("--junit", junit);
        }
        if (openMetrics != null) {
            files.put("--openmetrics", openMetrics);
        }
        return files;
    }

    private static List<Case> cases(
            List<CellResult> results, List<Gate> gates, boolean forgiven, @Nullable String flaw, Outcomes outcomes) {
        List<Case> cases = new ArrayList<>();
        byCell(results).forEach((name, repetitions) -> {
            double seconds =
                    repetitions.stream().mapToDouble(CellResult::windowSeconds).sum();
            cases.add(answers(name, seconds, outcomes.counted(repetitions), forgiven));
            for (Gate gate : gates) {
                String reason = gate.failure(outcomes.counted(repetitions));
                cases.add(new Case(
                        name + " not " + gate.text(),
                        0,
                        reason == null ? Outcome.PASSED : Outcome.FAILURE,
                        reason == null ? "" : reason));
            }
        });
        if (flaw != null) {
            cases.add(new Case("the run", 0, Outcome.ERROR, flaw));
        }
        return cases;
    }

    /** What is undecided passes, as it does by the exit code. */
    private static Case notWorse(Outcomes.Line line) {
        boolean worse = line.outcome() == Outcomes.Outcome.WORSE;
        return new Case(
                line.name() + " not worse", 0, worse ? Outcome.FAILURE : Outcome.PASSED, worse ? line.reason() : "");
    }

    private static Case answers(String name, double seconds, List<CellResult> repetitions, boolean forgiven) {
        Optional<CellResult> wrong = forgiven
                ? Optional.empty()
                : repetitions.stream()
                        .filter(one -> one.valid() && one.errorCount() > 0)
                        .findFirst();
        if (wrong.isPresent()) {
            return new Case(name, seconds, Outcome.FAILURE, ResultLine.errors(wrong.get()));
        }
        return repetitions.stream()
                .filter(one -> !one.valid())
                .findFirst()
                .map(one -> new Case(name, seconds, Outcome.ERROR, one.verdict()))
                .orElse(new Case(name, seconds, Outcome.PASSED, ""));
    }

    /** The reason of each cell that fails a condition, for people. */
    static List<String> failures(List<CellResult> results, List<Gate> gates, Outcomes outcomes) {
        List<String> failures = new ArrayList<>();
        for (Gate gate : gates) {
            byCell(results).forEach((name, repetitions) -> {
                String reason = gate.failure(outcomes.counted(repetitions));
                if (reason != null) {
                    failures.add(name + ": " + reason);
                }
            });
        }
        return failures;
    }

    /** The repetitions of each cell by its name. */
    private static Map<String, List<CellResult>> byCell(List<CellResult> results) {
        Map<String, List<CellResult>> cells = new LinkedHashMap<>();
        results.forEach(result -> cells.computeIfAbsent(ResultLine.name(result), key -> new ArrayList<>())
                .add(result));
        return cells;
    }
}
