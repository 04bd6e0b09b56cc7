package dev.millrace.load.run;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A distribution of times in microseconds, with errors of up to a thousandth or 128 ns. A percentile is null where there
 * are too few values for it. Old runs have the largest value there, which is left out when they are read. Immutable.
 *
 * @param count number of values
 * @param mean  arithmetic mean
 * @param p50   median; null without a value
 * @param p90   90th percentile; null with fewer than 10 values
 * @param p99   99th percentile; null with fewer than 100 values
 * @param p999  99.9th percentile; null with fewer than 1,000 values
 * @param max   the largest value
 */
public record Percentiles(
        long count,
        double mean,
        @Nullable Double p50,
        @Nullable Double p90,
        @Nullable Double p99,
        @Nullable Double p999,
        double max) {

    private static final double NANOS_PER_MICRO = 1000.0;
    private static final double MEDIAN = 50;
    private static final double WHOLE = 100;
    /** 99.9 has no exact form: the thousand values that it takes would be a few billionths more. */
    private static final double ROUNDING = 1e-6;

    /** Leaves out the percentiles that are not known of so few values. */
    public Percentiles {
        p50 = isKnown(50, count) ? p50 : null;
        p90 = isKnown(90, count) ? p90 : null;
        p99 = isKnown(99, count) ? p99 : null;
        p999 = isKnown(99.9, count) ? p999 : null;
    }

    static Percentiles of(Histogram nanos) {
        return new Percentiles(
                nanos.getTotalCount(),
                micros(nanos.getMean()),
                at(nanos, 50),
                at(nanos, 90),
                at(nanos, 99),
                at(nanos, 99.9),
                micros((double) nanos.getMaxValue()));
    }

    /**
     * The number of values that a percentile takes. One of them must lie above it: of fewer it would be the largest,
     * whatever that is. The median of one value is that value.
     *
     * @param percentile 0 to 100
     */
    public static long valuesFor(double percentile) {
        return percentile <= MEDIAN || percentile >= WHOLE
                ? 1
                : (long) Math.ceil(WHOLE / (WHOLE - percentile) - ROUNDING);
    }

    /** Whether so many values have a percentile. */
    public static boolean isKnown(double percentile, long values) {
        return values >= valuesFor(percentile);
    }

    private static double at(Histogram nanos, double percentile) {
        return micros((double) nanos.getValueAtPercentile(percentile));
    }

    private static double micros(double nanos) {
        return Math.round(nanos / NANOS_PER_MICRO * 10) / 10.0;
    }
}
