package dev.millrace.load.run;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Complete downloads of files of one size. Immutable.
 *
 * @param size      bytes of a file
 * @param downloads number of downloads
 * @param init      sending (before connecting, if a new connection is needed) to first body byte, in microseconds
 * @param speed     mean speed from first to last body byte, in 10^6 bytes per second, of downloads that took more than
 *                  one read. Null if none did
 * @param speedP1   first percentile of that speed; null with fewer than 100 downloads
 * @param speedP50  median of that speed
 */
public record SizeResult(
        long size,
        long downloads,
        Percentiles init,
        @Nullable Double speed,
        @Nullable Double speedP1,
        @Nullable Double speedP50) {

    /** Refuses a part that is missing: a damaged file is reported by the name of that part. */
    public SizeResult {
        Objects.requireNonNull(init, "no init");
        // Of fewer it is the slowest, as the 99th percentile of a time is the longest.
        speedP1 = Percentiles.isKnown(99, downloads) ? speedP1 : null;
    }
}
