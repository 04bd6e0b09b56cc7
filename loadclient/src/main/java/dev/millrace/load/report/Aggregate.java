package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * All repetitions of one cell. Immutable.
 *
 * @param label       name of the server variant
 * @param parameters  of the cell
 * @param repetitions in the order in which they were measured
 */
public record Aggregate(String label, Map<String, String> parameters, List<CellResult> repetitions) {

    /** Groups results by variant and settings, in the order in which they first appear. */
    public static List<Aggregate> of(List<CellResult> results) {
        Map<List<Object>, List<CellResult>> groups = new LinkedHashMap<>();
        for (CellResult result : results) {
            groups.computeIfAbsent(List.of(result.label(), result.parameters()), key -> new ArrayList<>()).add(result);
        }
        return groups.values().stream()
                .map(group -> new Aggregate(group.get(0).label(), group.get(0).parameters(), List.copyOf(group)))
                .toList();
    }

    CellResult first() {
        return repetitions.get(0);
    }

    /** Mean and interval of a figure, of the sound repetitions if there are any; null if none has it. */
    Interval interval(Function<CellResult, Double> figure) {
        List<Double> values = soundest().stream().map(figure).filter(Objects::nonNull).toList();
        return values.isEmpty() ? null : Interval.of(values);
    }

    /** Mean of a figure, of the sound repetitions if there are any; null if none has it. */
    Double mean(Function<CellResult, Double> figure) {
        Interval interval = interval(figure);
        return interval == null ? null : interval.mean();
    }

    long errors() {
        return repetitions.stream().mapToLong(CellResult::errorCount).sum();
    }

    /** Exchanges still going on when the drain was over. */
    long cutOff() {
        return repetitions.stream().mapToLong(cell -> cell.counts().cutOff()).sum();
    }

    /** Requests without an answer when the drain was over; a long body may well be under way then. */
    long unanswered() {
        return first().countsBytes() ? 0 : cutOff();
    }

    /** Repetitions in which every answer was right and the figures stand for what they say. */
    List<CellResult> sound() {
        return repetitions.stream().filter(cell -> cell.valid() && cell.errorCount() == 0).toList();
    }

    /** The sound repetitions, or all if none is: the verdict stands beside their figures. */
    List<CellResult> soundest() {
        List<CellResult> sound = sound();
        return sound.isEmpty() ? repetitions : sound;
    }

    /** The verdict, if all repetitions agree; otherwise each that was given. */
    String verdict() {
        return String.join(" / ", repetitions.stream().map(CellResult::verdict).distinct().toList());
    }
}
