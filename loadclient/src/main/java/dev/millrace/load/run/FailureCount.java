package dev.millrace.load.run;

/**
 * Failures of one kind. Immutable.
 *
 * @param count number of failures
 * @param first detail of the first one
 */
public record FailureCount(long count, String first) {}
