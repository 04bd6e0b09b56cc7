package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.report.Comparison;
import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.report.Comparison.Ratio;
import dev.millrace.load.report.ComparisonFiles;
import dev.millrace.load.report.Outcomes;
import dev.millrace.load.report.Outcomes.Outcome;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadclient compare A B}: ratios with intervals, and whether B is worse. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = "Compares B with A: the ratio B/A of each figure in each cell, repetition by repetition, with "
                + "its interval, and a verdict in the last line: worse, better, no difference or undecided. The intervals "
                + "hold together with a chance of 95 %%. Exit 1 if B is worse, or if a cell of A is missing in B, has errors there, or lacks "
                + "a figure that decides; 3 if such cells are invalid and no more.",
        footer = {
            "",
            "A and B are run.json files, or folders with one; #LABEL takes one variant out",
            "of a run. Two runs of several variants each are compared variant by variant.",
            "Two URLs are measured in turns, until each question is decided, as by loadclient",
            "http --budget. On a machine with other work that may take long: --together",
            "measures both in one window.",
            "",
            "Examples:",
            "  loadclient compare before/run.json after/run.json",
            "  loadclient compare http://127.0.0.1:8080/ http://127.0.0.1:8081/ -- -c 16",
            "  loadclient compare http://127.0.0.1:8080/ http://127.0.0.1:8081/ -- --together",
            "  loadclient compare https://a.example/ https://b.example/ -- --cacert ca.pem",
            "  loadclient compare --json c.json http://127.0.0.1:8080/ http://127.0.0.1:8081/",
            "  loadclient compare --noise out#BIO2 out#STOCK out#BIO"
        })
final class CompareCommand implements Callable<Integer> {

    private static final int NAME_WIDTH = 34;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"--margin", "--threshold"},
            defaultValue = "5",
            paramLabel = "PERCENT",
            description =
                    "B is worse or better if its interval lies wholly beyond this, and no different if it lies wholly "
                            + "within; with one repetition there is no interval, "
                            + "and B is worse if the ratio itself lies beyond (default: ${DEFAULT-VALUE}).")
    private String margin;

    @Option(
            names = "--budget",
            defaultValue = "30m",
            paramLabel = "TIME",
            description = "With URLs: the time after which what is not decided stays undecided "
                    + "(default: ${DEFAULT-VALUE}).")
    private String budget;

    @Option(
            names = "--metric",
            split = ",",
            paramLabel = "throughput|cpu|p50|p99",
            description =
                    "Figures that decide (default: throughput,cpu; cpu of servers that were measured --together).")
    private List<Metric> deciding = List.of();

    @Option(
            names = "--noise",
            paramLabel = "RUN",
            description = "A second run of the same thing as A: its ratios to A are the noise, shown beside.")
    private @Nullable String noise;

    @Option(names = "--json", paramLabel = "FILE", description = "Writes the ratios and verdicts as JSON.")
    private @Nullable Path json;

    @Option(names = "--markdown", paramLabel = "FILE", description = "Writes a table for a comment on a pull request.")
    private @Nullable Path markdown;

    @Parameters(index = "0", paramLabel = "A", description = "The baseline.")
    private String a;

    @Parameters(index = "1", paramLabel = "B", description = "What is compared with it.")
    private String b;

    @Parameters(
            index = "2..*",
            paramLabel = "OPTION",
            description = "After --, with URLs: options of loadclient http, such as -c 16 or -o DIR.")
    private List<String> rest = List.of();

    @Override
    public Integer call() {
        requireDifferentFiles();
        if (isUrl(a) && isUrl(b)) {
            return measure();
        }
        require(!isUrl(a) && !isUrl(b), "two runs are compared, or two URLs, and not one of each");
        require(rest.isEmpty(), "only two URLs take the options of loadclient http");
        require(!given("--budget"), "--budget takes two URLs: runs are over");
        double percent = Units.percent("--margin", margin);
        require(percent >= 0, "--margin must not be negative");
        List<CellResult> baseline = cells(a);
        if (deciding.isEmpty()) {
            deciding = Metric.deciding(run(a).measuredTogether() || run(b).measuredTogether());
        }
        boolean early = run(a).endedWhenDecided() || run(b).endedWhenDecided();
        Comparison comparison = compare(baseline, cells(b), early);
        noteDifferences(comparison.without(cells(b)));
        Comparison floor = noise == null ? null : compare(baseline, cells(noise), false);
        int width = width(comparison);
        Outcomes outcomes = Outcomes.of(comparison, deciding, percent);
        boolean worse = outcomes.has(Outcome.WORSE);
        boolean invalid = false;
        for (Comparison.Row row : comparison.rows()) {
            String name = String.format(Locale.ROOT, "%-" + width + "s", comparison.name(row));
            print(name, row, floor == null ? null : floor.like(row), percent, early);
            Comparison.NotComparable reason = row.notComparable(deciding);
            if (reason != null) {
                spec.commandLine().getOut().println(name + " | " + reason.text());
                worse |= !reason.onlyInvalid();
                invalid |= reason.onlyInvalid();
            }
            Comparison.NotComparable leftOut = row.leftOut(deciding);
            if (leftOut != null) {
                spec.commandLine().getOut().println(name + " | left out: " + leftOut.text());
            }
        }
        write(new ComparisonFiles(a, b, comparison, deciding, percent));
        spec.commandLine().getOut().println(outcomes.summary());
        return worse ? ExitCode.ERRORS : invalid ? ExitCode.INVALID : ExitCode.GOOD;
    }

    /** Refuses a file that would take the place of another one, or of a run: it may have taken hours. */
    private void requireDifferentFiles() {
        Map<String, Path> files = new LinkedHashMap<>();
        if (json != null) {
            files.put("--json", json);
        }
        if (markdown != null) {
            files.put("--markdown", markdown);
        }
        OutputFolder.requireDifferent(files, null);
        Stream.of(a, b, noise)
                .filter(Objects::nonNull)
                .filter(run -> !isUrl(run))
                .map(run -> ReportCommand.file(path(run)))
                .forEach(run -> files.forEach((option, file) ->
                        require(!OutputFolder.isSame(file, run), option + " would take the place of " + run)));
    }

    /** Whoever measures with other settings, or elsewhere, finds a difference that is not the servers'. */
    private void noteDifferences(List<String> onlyInB) {
        RunFile one = run(a);
        RunFile other = run(b);
        List<String> differences =
                one.experiment() == null && other.experiment() == null ? one.differences(other) : List.of();
        note("the runs differ in more than their servers: ", differences);
        note("not compared, because A has no such cell: ", onlyInB);
    }

    private void note(String text, List<String> what) {
        if (!what.isEmpty()) {
            spec.commandLine().getErr().println("note: " + text + String.join(", ", what));
        }
    }

    private static int width(Comparison comparison) {
        return Math.max(
                NAME_WIDTH,
                comparison.rows().stream()
                        .mapToInt(row -> comparison.name(row).length())
                        .max()
                        .orElse(0));
    }

    private void write(ComparisonFiles files) {
        if (json != null) {
            OutputFolder.write(json, files.json());
        }
        if (markdown != null) {
            OutputFolder.write(markdown, files.markdown());
        }
    }

    private static boolean isUrl(String text) {
        return text.startsWith("http://") || text.startsWith("https://");
    }

    private boolean given(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    private int measure() {
        require(noise == null, "--noise takes a run, and two URLs have none");
        require(!given("--metric"), "--metric takes runs: of two URLs throughput and CPU decide");
        List<String> words = new ArrayList<>(List.of("--budget=" + budget, "--margin=" + margin));
        if (json != null) {
            words.add("--comparison-json=" + json);
        }
        if (markdown != null) {
            words.add("--comparison-markdown=" + markdown);
        }
        words.addAll(rest);
        words.addAll(List.of(a, b));
        return Objects.requireNonNull(spec.parent().subcommands().get("http")).execute(words.toArray(String[]::new));
    }

    /** Prints a line for each figure of a cell, with a verdict if it decides. */
    private void print(String name, Comparison.Row row, Comparison.@Nullable Row floor, double percent, boolean early) {
        PrintWriter out = spec.commandLine().getOut();
        row.ratios()
                .forEach((metric, ratio) -> out.printf(
                        Locale.ROOT,
                        "%s | %-10s %s%s%s%n",
                        name,
                        metric.label(),
                        text(ratio),
                        noise(floor, metric),
                        row.isDecidedBy(metric, deciding)
                                ? difference(Outcome.of(metric, ratio, percent, early))
                                : ""));
    }

    private static String difference(Outcome outcome) {
        return outcome == Outcome.WORSE || outcome == Outcome.BETTER ? " | " + outcome.label() : "";
    }

    private String noise(Comparison.@Nullable Row floor, Metric metric) {
        if (noise == null) {
            return "";
        }
        Ratio ratio = floor == null ? null : floor.ratios().get(metric);
        return " | noise " + (ratio == null ? "unknown" : text(ratio));
    }

    private Comparison compare(List<CellResult> baseline, List<CellResult> other, boolean early) {
        return UsageException.parse("", () -> Comparison.of(baseline, other, deciding.size(), early));
    }

    private static String text(Ratio ratio) {
        if (!ratio.hasInterval()) {
            return ratio.pairs() == 1
                    ? String.format(Locale.ROOT, "%.3f [one run, no interval]", ratio.ratio())
                    : String.format(Locale.ROOT, "%.3f [too few] of %d", ratio.ratio(), ratio.pairs());
        }
        String interval = ratio.isNarrow()
                ? String.format(Locale.ROOT, "[%.3f, %.3f]", ratio.low(), ratio.high())
                : Comparison.TOO_WIDE;
        return String.format(Locale.ROOT, "%.3f %s of %d", ratio.ratio(), interval, ratio.pairs());
    }

    private static Path path(String run) {
        int hash = run.lastIndexOf('#');
        return Path.of(hash < 0 ? run : run.substring(0, hash));
    }

    private static RunFile run(String run) {
        return ReportCommand.read(path(run));
    }

    private static List<CellResult> cells(String run) {
        int hash = run.lastIndexOf('#');
        Path path = path(run);
        List<CellResult> cells = run(run).cells();
        require(!cells.isEmpty(), "nothing was measured in " + path);
        if (hash < 0) {
            return cells;
        }
        String label = run.substring(hash + 1);
        List<CellResult> chosen =
                cells.stream().filter(cell -> cell.label().equals(label)).toList();
        require(!chosen.isEmpty(), "no variant " + label + " in " + path);
        return chosen;
    }
}
