package dev.millrace.load.cli;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * The order in which cells run. A machine changes with time (clock speed, load by others), and no variant must suffer
 * more from that than another. Immutable.
 *
 * @param repeat number of blocks, each of which runs every cell once
 * @param order  order of the cells within a block
 * @param seed   seed of the random order
 */
record Schedule(int repeat, Order order, long seed) {

    /** Orders within a block. */
    enum Order {
        /** The order of the command line. */
        FIXED,
        /** A new random order for each block. */
        RANDOM,
        /** The order of the command line, reversed in every other block. */
        ABBA
    }

    /** The cells of a block, counted from 0, in their order. */
    <T> List<T> block(int number, List<T> cells) {
        List<T> ordered = new ArrayList<>(cells);
        if (order == Order.RANDOM) {
            // Random's first numbers are alike for neighbouring seeds: two cells would have one order in all blocks.
            Collections.shuffle(ordered, new Random(new SplittableRandom(seed + number).nextLong()));
        } else if (order == Order.ABBA && number % 2 == 1) {
            Collections.reverse(ordered);
        }
        return ordered;
    }
}
