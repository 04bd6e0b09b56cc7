package dev.millrace.load.run;

import java.util.List;

/**
 * Detects when throughput is steady. The coefficient of variation of the last windows must be small, see Georges,
 * Buytaert and Eeckhout, "Statistically rigorous Java performance evaluation" (OOPSLA 2007). In addition there must be
 * no trend between their halves. Stateless.
 */
final class Steadiness {

    static final int WINDOWS = 10;
    private static final double MAX_COV = 0.02;

    private Steadiness() {}

    /** Whether the last counts, one per second, are those of a steady state. */
    static boolean reached(List<Long> counts) {
        if (counts.size() < WINDOWS) {
            return false;
        }
        List<Long> last = counts.subList(counts.size() - WINDOWS, counts.size());
        double older = mean(last.subList(0, WINDOWS / 2));
        double newer = mean(last.subList(WINDOWS / 2, WINDOWS));
        return cov(last) < MAX_COV && Math.abs(newer - older) < MAX_COV * older;
    }

    /** Coefficient of variation: standard deviation divided by mean. */
    static double cov(List<Long> counts) {
        double mean = mean(counts);
        double squares = counts.stream()
                .mapToDouble(count -> (count - mean) * (count - mean))
                .sum();
        return mean == 0 ? Double.POSITIVE_INFINITY : Math.sqrt(squares / Math.max(1, counts.size() - 1)) / mean;
    }

    private static double mean(List<Long> counts) {
        return counts.stream().mapToLong(Long::longValue).average().orElse(0);
    }
}
