package dev.millrace.load.report;

import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.report.Comparison.Ratio;
import dev.millrace.load.run.CellResult;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Makes a table for each variant of a server, with its ratios to the one that all are compared with. Stateless. */
final class RatioTables {

    private static final String DEFAULT_MARGIN = "5";

    private RatioTables() {}

    /** The tables; none for a replay, which has ratios of its own, and for a single variant. */
    static List<Table> of(RunFile run) {
        List<String> labels =
                run.cells().stream().map(CellResult::label).distinct().toList();
        if (run.experiment() != null || labels.size() < 2) {
            return List.of();
        }
        String control = run.plan().getOrDefault(RunFile.CONTROL, labels.get(0));
        List<CellResult> baseline = cells(run, control);
        double margin = Double.parseDouble(run.plan().getOrDefault(RunFile.MARGIN, DEFAULT_MARGIN));
        List<Metric> deciding = Metric.deciding(run.measuredTogether());
        int figures = deciding.size() * (labels.size() - 1);
        return labels.stream()
                .filter(label -> !label.equals(control))
                .sorted()
                .map(label -> table(
                        label,
                        control,
                        Comparison.of(baseline, cells(run, label), figures, run.endedWhenDecided()),
                        deciding,
                        margin))
                .toList();
    }

    private static List<CellResult> cells(RunFile run, String label) {
        return run.cells().stream().filter(cell -> cell.label().equals(label)).toList();
    }

    private static Table table(
            String label, String control, Comparison comparison, List<Metric> deciding, double margin) {
        List<String> heading = new ArrayList<>(List.of("cell"));
        Stream.of(Metric.values()).map(Metric::label).forEach(heading::add);
        heading.add("verdict");
        return new Table(
                "Ratios " + label + " / " + control,
                heading,
                Outcomes.of(comparison, deciding, margin).lines().stream()
                        .map(line -> row(line, deciding))
                        .toList());
    }

    private static List<String> row(Outcomes.Line line, List<Metric> deciding) {
        List<String> texts =
                new ArrayList<>(List.of(FigureFormat.cell(line.row().parameters())));
        for (Metric metric : Metric.values()) {
            Ratio ratio = line.row().ratios().get(metric);
            texts.add(ratio == null ? FigureFormat.UNKNOWN : ratio.text());
        }
        Comparison.NotComparable reason = line.row().notComparable(deciding);
        texts.add(line.outcome().label() + (reason == null ? "" : ": " + reason.text()));
        return texts;
    }
}
