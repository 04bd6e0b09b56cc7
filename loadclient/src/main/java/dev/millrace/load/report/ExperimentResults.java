package dev.millrace.load.report;

import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.Lengths;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.report.Comparison.Confidence;
import dev.millrace.load.report.Comparison.Ratio;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.SizeResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Today's results for the rows of an experiment. Ratios are taken within each block, whose cells ran at nearly the same
 * time. Blocks of one start share its luck, such as the JIT compilers' choices. They are averaged, so that an interval
 * has one value per start. With one start only, it has one value per block. Immutable.
 */
final class ExperimentResults {

    static final String THROUGHPUT = "throughput";
    private static final double MICROS_PER_SECOND = 1e6;
    /** Throughput and the server's CPU time. */
    private static final int FIGURES_OF_A_CLAIM = 2;
    /** One look at the ratios comes after the planned rounds, and one after further ones. */
    private static final int LOOKS = 2;

    private final Experiment experiment;
    private final List<CellResult> cells;
    private final Confidence confidence;
    private final boolean looksTwice;
    private final int plannedRounds;
    private final boolean startedOnce;
    /** Number of blocks that are averaged to one value of an interval. */
    private final int blocksPerValue;

    ExperimentResults(RunFile run) {
        this.experiment = run.replayed();
        this.cells = run.cells();
        Lengths lengths = experiment.lengths(!RunFile.FULL.equals(run.plan().get(RunFile.FORM)));
        this.plannedRounds = lengths.rounds();
        this.looksTwice = lengths.further() > 0 && !run.endedWhenDecided();
        this.confidence = run.endedWhenDecided()
                ? Confidence.of(FIGURES_OF_A_CLAIM * questions(experiment), true)
                : Confidence.of(looksTwice ? LOOKS : 1, false);
        // Starts are counted in the cells, because older files do not record the number given by --repeat.
        this.startedOnce = lengths.starts() == 1 || groups(lengths.repeats()) <= 1;
        this.blocksPerValue = startedOnce ? 1 : lengths.repeats();
    }

    private static int questions(Experiment experiment) {
        return experiment.claims().stream()
                .mapToInt(claim -> claim.compare().size())
                .sum();
    }

    /** Number of groups of that many blocks. */
    private long groups(int blocks) {
        return cells.stream()
                .mapToInt(CellResult::repetition)
                .filter(block -> block >= 0)
                .map(block -> block / blocks)
                .distinct()
                .count();
    }

    /** The values of intervals, in words. */
    String basis() {
        if (startedOnce) {
            return "Servers were started once: intervals have one value for each of " + groups(1)
                    + " blocks, and do not hold the luck of a start.";
        }
        return "Intervals have one value for each of " + groups(blocksPerValue) + " starts of the servers"
                + (blocksPerValue > 1 ? ", the mean of its " + blocksPerValue + " blocks." : ".")
                + (looksTwice ? " " + looks() : "");
    }

    private String looks() {
        return "Claims that were decided after " + plannedRounds
                + " of them may have no more. Each of two looks at the "
                + "ratios has intervals of 97.5 %, so that both hold with 95 %.";
    }

    /** The row of that id; null if this form of the experiment does not have it. */
    @Nullable Row row(@Nullable String id) {
        return experiment.rows().stream()
                .filter(row -> row.id().equals(id))
                .findFirst()
                .orElse(null);
    }

    /** All repetitions of a row; null if it was not measured. */
    @Nullable Aggregate cell(Row row) {
        List<CellResult> found = cells.stream()
                .filter(cell ->
                        cell.label().equals(row.server()) && cell.parameters().equals(row.parameters()))
                .toList();
        return found.isEmpty() ? null : new Aggregate(row.server(), row.parameters(), found);
    }

    /** Mean and interval of a figure; null if it is unknown. */
    @Nullable Interval figure(Row row, String name) {
        return figure(row, cell -> value(name, cell));
    }

    /** Mean and interval of the server's CPU time; null if it is unknown. */
    @Nullable Interval figure(Row row, Cost cost) {
        return figure(row, cost::of);
    }

    private @Nullable Interval figure(Row row, Function<CellResult, @Nullable Double> figure) {
        Map<Integer, List<Double>> starts = new TreeMap<>();
        for (CellResult one : measured(row).soundest()) {
            add(starts, one, figure.apply(one));
        }
        return starts.isEmpty() ? null : Interval.of(means(starts, value -> value, mean -> mean));
    }

    /** The repetitions without rehearsals and warm-ups, which have negative numbers and are kept for their errors. */
    private Aggregate measured(Row row) {
        Aggregate cell = cell(row);
        return new Aggregate(
                row.server(),
                row.parameters(),
                cell == null
                        ? List.of()
                        : cell.repetitions().stream()
                                .filter(one -> one.repetition() >= 0)
                                .toList());
    }

    /** The ratio of two rows, or of a row and a number; null if a figure is missing. */
    @Nullable Ratio ratio(String figure, @Nullable Row a, @Nullable Row b, @Nullable Double than) {
        Aggregate above = a == null ? null : cell(a);
        Aggregate below = b == null ? null : cell(b);
        if (above == null || (below == null && than == null)) {
            return null;
        }
        Map<Integer, List<Double>> starts = new TreeMap<>();
        for (CellResult one : sound(above)) {
            if (below == null) {
                add(starts, one, quotient(value(figure, one), than));
                continue;
            }
            sound(below).stream()
                    .filter(other -> other.repetition() == one.repetition())
                    .forEach(other -> add(starts, one, quotient(value(figure, one), value(figure, other))));
        }
        return starts.isEmpty() ? null : Ratio.of(means(starts, Math::log, Math::exp), confidence);
    }

    /** The repetitions that compare. A server that left requests unanswered had more time for the others. */
    private static List<CellResult> sound(Aggregate cell) {
        return cell.sound().stream()
                .filter(one -> one.countsBytes() || one.counts().cutOff() == 0)
                .toList();
    }

    private void add(Map<Integer, List<Double>> starts, CellResult cell, @Nullable Double value) {
        if (value != null) {
            starts.computeIfAbsent(cell.repetition() / blocksPerValue, key -> new ArrayList<>())
                    .add(value);
        }
    }

    /** The mean of each start. It is taken of transformed values, such as logarithms, and transformed back. */
    private static List<Double> means(
            Map<Integer, List<Double>> starts, DoubleUnaryOperator there, DoubleUnaryOperator back) {
        return starts.values().stream()
                .map(values -> back.applyAsDouble(values.stream()
                        .mapToDouble(Double::doubleValue)
                        .map(there)
                        .average()
                        .orElseThrow()))
                .toList();
    }

    private static @Nullable Double quotient(@Nullable Double above, @Nullable Double below) {
        return above != null && below != null && above > 0 && below > 0 ? (Double) (above / below) : null;
    }

    /** A figure by its name in the experiments; null if it is unknown. */
    private @Nullable Double value(String figure, CellResult cell) {
        return switch (figure) {
            case THROUGHPUT -> Double.valueOf(cell.throughput());
            case "cpu" -> cell.cost();
            case "init" -> init(cell);
            case "speed" -> speed(cell);
            default -> throw new IllegalArgumentException("no such figure: " + figure);
        };
    }

    /** Mean time from request to first body byte over all downloads begun in the window, in seconds. */
    private static @Nullable Double init(CellResult cell) {
        long downloads = cell.sizes().stream().mapToLong(SizeResult::downloads).sum();
        double micros = cell.sizes().stream()
                .mapToDouble(size -> size.init().mean() * size.downloads())
                .sum();
        return downloads == 0 ? null : (Double) (micros / downloads / MICROS_PER_SECOND);
    }

    /** Mean speed of downloads of the largest file, in MB/s; null if none was complete, or all came by one read each. */
    private @Nullable Double speed(CellResult cell) {
        if (experiment.files().isEmpty()) {
            return null;
        }
        long largest = Collections.max(experiment.files().values());
        return cell.sizes().stream()
                .filter(size -> size.size() == largest)
                .map(SizeResult::speed)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
