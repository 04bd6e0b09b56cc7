package dev.millrace.load.run;

import java.util.ArrayList;
import java.util.List;

/** The counts in each second of a cell, at which one thread looks about once a second. Used by that thread. */
final class SecondCounts {

    private final CellClock clock;
    private final List<Long> warmup = new ArrayList<>();
    private final List<Long> warmupBytes = new ArrayList<>();
    private final List<Long> requests = new ArrayList<>();
    private final List<Long> bytes = new ArrayList<>();
    private long seenRequests;
    private long seenBytes;

    /** Looks at what a clock counts. */
    SecondCounts(CellClock clock) {
        this.clock = clock;
    }

    /**
     * Adds the seconds that have passed since the last one. A look may be late, by more than a second if the machine
     * gives this program no processor. What was counted since is then spread evenly, because nobody knows when it came.
     *
     * @param seconds number of whole seconds
     * @param share   part that these seconds are of the time since the last one
     */
    void add(boolean warmingUp, int seconds, double share) {
        if (!warmingUp && requests.isEmpty()) {
            seenRequests = 0;
            seenBytes = 0;
        }
        long allRequests = warmingUp ? clock.warmup.sum() : clock.requests.sum();
        long allBytes = warmingUp ? clock.warmupBytes.sum() : clock.bytes.sum();
        seenRequests = spread(warmingUp ? warmup : requests, seenRequests, allRequests, seconds, share);
        seenBytes = spread(warmingUp ? warmupBytes : bytes, seenBytes, allBytes, seconds, share);
    }

    /** Adds a count for each second. Returns the sum of all counts that were added so far. */
    private static long spread(List<Long> series, long seen, long all, int seconds, double share) {
        long sum = seen;
        for (int second = 1; second <= seconds; second++) {
            long until = seen + Math.round((all - seen) * share * second / seconds);
            series.add(until - sum);
            sum = until;
        }
        return sum;
    }

    /** Verified answers in each second of the warm-up. */
    List<Long> warmup() {
        return warmup;
    }

    /** Body bytes in each second of the warm-up. */
    List<Long> warmupBytes() {
        return warmupBytes;
    }

    /** Verified answers in the last second. */
    long lastRequests(boolean warmingUp) {
        return last(warmingUp ? warmup : requests);
    }

    /** Body bytes in the last second. */
    long lastBytes(boolean warmingUp) {
        return last(warmingUp ? warmupBytes : bytes);
    }

    private static long last(List<Long> series) {
        return series.get(series.size() - 1);
    }

    /** All seconds so far. */
    Series series() {
        return new Series(List.copyOf(warmup), List.copyOf(requests), List.copyOf(bytes));
    }
}
