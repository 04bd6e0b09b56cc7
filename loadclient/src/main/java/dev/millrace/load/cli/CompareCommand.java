package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.report.Comparison;
import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.report.Comparison.Ratio;
import dev.millrace.load.run.CellResult;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
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
                + "its 95 %% interval. Exit 1 if B is worse, or if a cell of A is missing in B, has errors there, or lacks "
                + "a figure that decides; 3 if such cells are invalid and no more.",
        footer = {
            "",
            "A and B are run.json files, or folders with one; #LABEL takes one variant out of a run. Two runs",
            "of several variants each are compared variant by variant.",
            "",
            "Examples:",
            "  loadclient compare before/run.json after/run.json",
            "  loadclient compare --noise out#BIO2 out#STOCK out#BIO"
        })
final class CompareCommand implements Callable<Integer> {

    private static final int NAME_WIDTH = 34;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--threshold",
            defaultValue = "5",
            paramLabel = "PERCENT",
            description =
                    "B is worse if its interval lies wholly beyond this; with one repetition there is no interval, "
                            + "and B is worse if the ratio itself lies beyond (default: ${DEFAULT-VALUE}).")
    private String threshold;

    @Option(
            names = "--metric",
            split = ",",
            defaultValue = "throughput,cpu",
            paramLabel = "throughput|cpu|p50|p99",
            description = "Figures that decide whether B is worse (default: ${DEFAULT-VALUE}).")
    private List<Metric> deciding;

    @Option(
            names = "--noise",
            paramLabel = "RUN",
            description = "A second run of the same thing as A: its ratios to A are the noise, shown beside.")
    private String noise;

    @Parameters(index = "0", paramLabel = "A", description = "The baseline.")
    private String a;

    @Parameters(index = "1", paramLabel = "B", description = "What is compared with it.")
    private String b;

    @Override
    public Integer call() {
        double percent = Units.percent("--threshold", threshold);
        List<CellResult> baseline = cells(a);
        Comparison comparison = compare(baseline, cells(b));
        Comparison floor = noise == null ? null : compare(baseline, cells(noise));
        int width = Math.max(
                NAME_WIDTH,
                comparison.rows().stream()
                        .mapToInt(row -> comparison.name(row).length())
                        .max()
                        .orElse(0));
        boolean worse = false;
        boolean invalid = false;
        for (Comparison.Row row : comparison.rows()) {
            String name = String.format(Locale.ROOT, "%-" + width + "s", comparison.name(row));
            worse |= print(name, row, floor == null ? null : floor.like(row), percent);
            Comparison.NotComparable reason = row.notComparable(deciding);
            if (reason != null) {
                spec.commandLine().getOut().println(name + " | " + reason.text());
                worse |= !reason.onlyInvalid();
                invalid |= reason.onlyInvalid();
            }
        }
        return worse ? ExitCode.ERRORS : invalid ? ExitCode.INVALID : ExitCode.GOOD;
    }

    /** Prints a line for each figure of a cell. Returns whether B is worse in a figure that decides. */
    private boolean print(String name, Comparison.Row row, Comparison.Row floor, double percent) {
        PrintWriter out = spec.commandLine().getOut();
        boolean worse = false;
        for (Metric metric : row.ratios().keySet()) {
            Ratio ratio = row.ratios().get(metric);
            boolean bad = deciding.contains(metric) && Comparison.worse(metric, ratio, percent);
            worse |= bad;
            out.printf(
                    Locale.ROOT,
                    "%s | %-10s %s%s%s%n",
                    name,
                    metric.label(),
                    text(ratio),
                    noise(floor, metric),
                    bad ? " | worse" : "");
        }
        return worse;
    }

    private String noise(Comparison.Row floor, Metric metric) {
        if (noise == null) {
            return "";
        }
        Ratio ratio = floor == null ? null : floor.ratios().get(metric);
        return " | noise " + (ratio == null ? "unknown" : text(ratio));
    }

    private static Comparison compare(List<CellResult> baseline, List<CellResult> other) {
        return UsageException.parse("", () -> Comparison.of(baseline, other));
    }

    private static String text(Ratio ratio) {
        if (!ratio.hasInterval()) {
            return String.format(Locale.ROOT, "%.3f [one run, no interval]", ratio.ratio());
        }
        String interval = ratio.isNarrow()
                ? String.format(Locale.ROOT, "[%.3f, %.3f]", ratio.low(), ratio.high())
                : Comparison.TOO_WIDE;
        return String.format(Locale.ROOT, "%.3f %s of %d", ratio.ratio(), interval, ratio.pairs());
    }

    private static List<CellResult> cells(String run) {
        int hash = run.lastIndexOf('#');
        Path path = Path.of(hash < 0 ? run : run.substring(0, hash));
        List<CellResult> cells = ReportCommand.read(path).cells();
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
