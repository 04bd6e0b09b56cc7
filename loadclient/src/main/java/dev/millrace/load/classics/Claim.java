package dev.millrace.load.classics;

import java.util.List;

/**
 * Something that was said, and what it takes to hold: all of the comparisons.
 *
 * @param text    for people
 * @param compare ratios and where they must lie
 */
public record Claim(String text, List<Compared> compare) {

    /**
     * A ratio of two rows, or of one row and a number.
     *
     * @param figure throughput, init or speed
     * @param a      the row above the line
     * @param b      the row below it; null for a number
     * @param than   the number
     * @param low    the least ratio at which the claim holds; null for none
     * @param high   the greatest; null for none
     */
    public record Compared(String figure, String a, String b, Double than, Double low, Double high) {
    }
}
