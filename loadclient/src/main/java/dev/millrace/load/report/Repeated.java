package dev.millrace.load.report;

import dev.millrace.load.classics.Experiment;
import dev.millrace.load.classics.Row;
import dev.millrace.load.report.Comparison.Ratio;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.SizeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Today's measurements of an experiment's rows. Ratios are taken within each block, whose cells ran at nearly the
 * same time; the interval is that of the blocks' ratios. Immutable.
 */
final class Repeated {

    static final String THROUGHPUT = "throughput";
    /** Figures by the names that the experiments give them. */
    private static final Map<String, Function<CellResult, Double>> FIGURES = Map.of(
            THROUGHPUT, CellResult::throughput, "init", Repeated::init, "speed", Repeated::speed,
            "cpu", CellResult::cost);
    private static final double MICROS_PER_SECOND = 1e6;

    private final Experiment experiment;
    private final List<CellResult> cells;

    Repeated(RunFile run) {
        this.experiment = run.experiment();
        this.cells = run.cells();
    }

    /** The row of that id, or null if this form of the experiment does not have it. */
    Row row(String id) {
        return experiment.rows().stream().filter(row -> row.id().equals(id)).findFirst().orElse(null);
    }

    /** All repetitions of a row, or null if it was not measured. */
    Aggregate cell(Row row) {
        List<CellResult> found = cells.stream().filter(cell -> cell.label().equals(row.server())
                && cell.parameters().equals(row.parameters())).toList();
        return found.isEmpty() ? null : new Aggregate(row.server(), row.parameters(), found);
    }

    /** A figure's mean and interval, or null. */
    Interval figure(Row row, String name) {
        Aggregate cell = cell(row);
        return cell == null ? null : cell.interval(FIGURES.get(name));
    }

    /** The ratio of two rows, or of a row and a number; null if there is none. */
    Ratio ratio(String figure, Row a, Row b, Double than) {
        Aggregate above = a == null ? null : cell(a);
        Aggregate below = b == null ? null : cell(b);
        if (above == null || below == null && than == null) {
            return null;
        }
        List<Double> ratios = new ArrayList<>();
        for (CellResult one : sound(above)) {
            if (below == null) {
                add(ratios, value(figure, one), than);
                continue;
            }
            sound(below).stream().filter(other -> other.repetition() == one.repetition())
                    .forEach(other -> add(ratios, value(figure, one), value(figure, other)));
        }
        return ratios.isEmpty() ? null : Ratio.of(ratios);
    }

    private static List<CellResult> sound(Aggregate cell) {
        return cell.repetitions().stream().filter(one -> one.valid() && one.errorCount() == 0).toList();
    }

    private static Double value(String figure, CellResult cell) {
        return FIGURES.get(figure).apply(cell);
    }

    private static void add(List<Double> ratios, Double above, Double below) {
        if (above != null && below != null && above > 0 && below > 0) {
            ratios.add(above / below);
        }
    }

    /** Request made until the first body byte, the mean over all downloads begun in the window, in seconds. */
    private static Double init(CellResult cell) {
        long downloads = cell.sizes().stream().mapToLong(SizeResult::downloads).sum();
        double micros = cell.sizes().stream().mapToDouble(size -> size.init().mean() * size.downloads()).sum();
        return downloads == 0 ? null : micros / downloads / MICROS_PER_SECOND;
    }

    /** Mean speed of downloads of the largest file, in MB/s. */
    private static Double speed(CellResult cell) {
        return cell.sizes().isEmpty() ? null : cell.sizes().get(cell.sizes().size() - 1).speed();
    }
}
