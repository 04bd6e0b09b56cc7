package dev.millrace.conformance.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes an input smaller as long as it fails: delta debugging (Zeller and Hildebrandt, 2002) of its bytes, and then of its cuts.
 */
final class Minimizer {
    private final Predicate<Input> fails;

    /**
     * A minimizer.
     *
     * @param fails whether a smaller input still shows the fault; it answers no when its time is over
     */
    Minimizer(Predicate<Input> fails) {
        this.fails = fails;
    }

    @SuppressWarnings("ReferenceEquality") // What is no smaller is the same object.
    Input minimize(Input input) {
        Input smallest = input;
        Input before;
        do {
            before = smallest;
            smallest = withFewerCuts(withFewerBytes(smallest));
        } while (smallest != before);
        return smallest;
    }

    private Input withFewerBytes(Input input) {
        Input smallest = input;
        for (int size = Math.max(1, input.bytes().length / 2); size > 0; size /= 2) {
            int begin = 0;
            while (begin < smallest.bytes().length) {
                Input smaller = smallest.without(begin, Math.min(begin + size, smallest.bytes().length));
                if (smaller.bytes().length > 0 && fails.test(smaller)) {
                    smallest = smaller;
                } else {
                    begin += size;
                }
            }
        }
        return smallest;
    }

    private Input withFewerCuts(Input input) {
        Input smallest = input;
        if (!smallest.cuts().isEmpty() && fails.test(smallest.merged())) {
            smallest = smallest.merged();
        }
        for (int i = smallest.cuts().size() - 1; i >= 0; i--) {
            List<Input.Cut> fewer = new ArrayList<>(smallest.cuts());
            fewer.remove(i);
            Input smaller = smallest.withCuts(fewer);
            if (fails.test(smaller)) {
                smallest = smaller;
            }
        }
        if (smallest.endsAtOnce()) {
            Input later = new Input(smallest.bytes(), smallest.cuts(), false);
            if (fails.test(later)) {
                smallest = later;
            }
        }
        return smallest;
    }
}
