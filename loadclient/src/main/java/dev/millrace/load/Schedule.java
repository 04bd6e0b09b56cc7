package dev.millrace.load;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * In which order cells run. Whatever drifts on a machine (its clock speed, its neighbours) must not meet one variant
 * more than another. Immutable.
 *
 * @param repeat blocks, each of which runs every cell once
 * @param order  within a block
 * @param seed   of the random order
 */
record Schedule(int repeat, Order order, long seed) {

    /** Orders within a block. */
    enum Order {
        /** As given. */
        FIXED,
        /** Drawn anew for each block. */
        RANDOM,
        /** As given, and backwards in every other block. */
        ABBA
    }

    /** The cells of a block, counted from 0, in their order. */
    <T> List<T> block(int number, List<T> cells) {
        List<T> ordered = new ArrayList<>(cells);
        if (order == Order.RANDOM) {
            Collections.shuffle(ordered, new Random(seed + number));
        } else if (order == Order.ABBA && number % 2 == 1) {
            Collections.reverse(ordered);
        }
        return ordered;
    }
}
