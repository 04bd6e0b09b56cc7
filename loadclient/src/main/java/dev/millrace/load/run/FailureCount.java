package dev.millrace.load.run;

import java.util.Objects;

/**
 * Failures of one kind. Immutable.
 *
 * @param count number of failures
 * @param first detail of the first one
 */
public record FailureCount(long count, String first) {

    /** Refuses a part that is missing: a damaged file is reported by the name of that part. */
    public FailureCount {
        Objects.requireNonNull(first, "no first");
    }
}
