package dev.millrace.load.run;

import java.util.List;
import java.util.Objects;

/**
 * Counts in each second of a cell. Immutable.
 *
 * @param warmup   verified answers while warming up
 * @param requests verified answers in the window
 * @param bytes    body bytes in the window
 */
public record Series(List<Long> warmup, List<Long> requests, List<Long> bytes) {

    /** Refuses a part that is missing: a damaged file is reported by the name of that part. */
    public Series {
        Objects.requireNonNull(warmup, "no warmup");
        Objects.requireNonNull(requests, "no requests");
        Objects.requireNonNull(bytes, "no bytes");
    }
}
