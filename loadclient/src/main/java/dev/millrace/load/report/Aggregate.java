package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All repetitions of one cell. Immutable.
 *
 * @param label       name of the server variant
 * @param parameters  of the cell
 * @param repetitions in the order in which they were measured
 */
record Aggregate(String label, Map<String, String> parameters, List<CellResult> repetitions) {

    /** Groups results by variant and settings, in the order in which they first appear. */
    static List<Aggregate> of(List<CellResult> results) {
        Map<List<Object>, List<CellResult>> groups = new LinkedHashMap<>();
        for (CellResult result : results) {
            groups.computeIfAbsent(List.of(result.label(), result.parameters()), key -> new ArrayList<>())
                    .add(result);
        }
        return groups.values().stream()
                .map(group -> new Aggregate(group.get(0).label(), group.get(0).parameters(), List.copyOf(group)))
                .toList();
    }

    CellResult first() {
        return repetitions.get(0);
    }

    /** Mean and interval of a figure over the {@linkplain #soundest soundest} repetitions; null if it is unknown. */
    @Nullable Interval interval(Function<CellResult, @Nullable Double> figure) {
        List<Double> values =
                soundest().stream().map(figure).filter(Objects::nonNull).toList();
        return values.isEmpty() ? null : Interval.of(values);
    }

    /** Mean of a figure over the {@linkplain #soundest soundest} repetitions; null if it is unknown. */
    @Nullable Double mean(Function<CellResult, @Nullable Double> figure) {
        Interval interval = interval(figure);
        return interval == null ? null : interval.mean();
    }

    /** The highest value of a figure in the {@linkplain #soundest soundest} repetitions; null if it is unknown. */
    @Nullable Double most(Function<CellResult, @Nullable Double> figure) {
        return soundest().stream()
                .map(figure)
                .filter(Objects::nonNull)
                .max(Double::compare)
                .orElse(null);
    }

    long errors() {
        return repetitions.stream().mapToLong(CellResult::errorCount).sum();
    }

    /** Exchanges that had not ended with the drain. */
    long cutOff() {
        return repetitions.stream().mapToLong(cell -> cell.counts().cutOff()).sum();
    }

    /** Requests without an answer at the end of the drain; 0 for downloads, which may take longer than the drain. */
    long unanswered() {
        return first().countsBytes() ? 0 : cutOff();
    }

    /** Repetitions without errors whose figures are valid. */
    List<CellResult> sound() {
        return repetitions.stream()
                .filter(cell -> cell.valid() && cell.errorCount() == 0)
                .toList();
    }

    /** The sound repetitions, or all if none is sound, since the verdict is shown beside their figures. */
    List<CellResult> soundest() {
        List<CellResult> sound = sound();
        return sound.isEmpty() ? repetitions : sound;
    }

    /** All different verdicts of the repetitions. */
    String verdict() {
        return String.join(
                " / ", repetitions.stream().map(CellResult::verdict).distinct().toList());
    }
}
