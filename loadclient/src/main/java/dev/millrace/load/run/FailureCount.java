package dev.millrace.load.run;

import java.util.Objects;

/**
 * Failures of one kind. Immutable.
 *
 * @param count number of failures
 * @param first detail of the first one
 */
public record FailureCount(long count, String first) {

    /** As in {@link CellResult}. */
    public FailureCount {
        Objects.requireNonNull(first, "no first");
    }
}
