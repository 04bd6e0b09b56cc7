package dev.millrace.load.run;

/**
 * Complete downloads of files of one size.
 *
 * @param size      bytes
 * @param downloads how many
 * @param init      sending (before connecting, if a new connection is needed) to first body byte, in microseconds
 * @param speed     body bytes by the time from first to last, in 10^6 bytes per second: mean
 * @param speedP1   the same, slowest hundredth
 * @param speedP50  median
 */
public record SizeResult(long size, long downloads, Percentiles init, double speed, double speedP1, double speedP50) {
}
