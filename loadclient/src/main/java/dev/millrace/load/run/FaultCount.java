package dev.millrace.load.run;

/**
 * Failures of one kind.
 *
 * @param count how many
 * @param first what the first one was
 */
public record FaultCount(long count, String first) {
}
