package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.util.List;

/**
 * Why a cell, or some repetitions of it, cannot be compared.
 *
 * @param text        for people
 * @param onlyInvalid whether no answer was wrong or missing: the figures do not stand for what they say, that is all
 */
public record Gap(String text, boolean onlyInvalid) {

    /** What is wrong with one run's repetitions of a cell; null if nothing is. */
    static Gap of(String run, Aggregate cell) {
        if (cell == null) {
            return new Gap(run + ": missing", false);
        }
        List<CellResult> wrong = cell.repetitions().stream().filter(one -> one.valid() && one.errorCount() > 0).toList();
        List<CellResult> bad = wrong.isEmpty() ? cell.repetitions().stream().filter(one -> !one.valid()).toList() : wrong;
        if (bad.isEmpty()) {
            return null;
        }
        int all = cell.repetitions().size();
        String which = all == 1 ? run : run + ", " + bad.size() + " of " + all;
        CellResult first = bad.get(0);
        return new Gap(which + ": " + (wrong.isEmpty() ? first.verdict() : "errors: " + ResultLine.errors(first)),
                wrong.isEmpty());
    }
}
