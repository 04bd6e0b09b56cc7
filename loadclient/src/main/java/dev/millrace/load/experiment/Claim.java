package dev.millrace.load.experiment;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A published claim, which holds if all its comparisons hold. Immutable.
 *
 * @param text    the claim in words
 * @param compare ratios and their bounds
 */
public record Claim(String text, List<Compared> compare) {

    /**
     * A ratio of two rows, or of one row and a number. Immutable.
     *
     * @param figure throughput, init or speed
     * @param a      id of the row above the line
     * @param b      id of the row below the line; null for a number
     * @param than   the number; null for a row
     * @param low    least ratio at which the claim holds; null for no bound
     * @param high   greatest ratio at which the claim holds; null for no bound
     */
    public record Compared(
            String figure,
            String a,
            @Nullable String b,
            @Nullable Double than,
            @Nullable Double low,
            @Nullable Double high) {}
}
