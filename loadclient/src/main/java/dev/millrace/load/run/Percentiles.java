package dev.millrace.load.run;

import org.HdrHistogram.Histogram;

/**
 * A distribution of times in microseconds, with errors of up to a thousandth or 128 ns. A percentile of too few values
 * is the largest value: p999 needs a thousand. Immutable.
 *
 * @param count number of values
 * @param mean  arithmetic mean
 * @param p50   median
 * @param p90   90th percentile
 * @param p99   99th percentile
 * @param p999  99.9th percentile
 * @param max   the largest value
 */
public record Percentiles(long count, double mean, double p50, double p90, double p99, double p999, double max) {

    private static final double NANOS_PER_MICRO = 1000.0;

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

    private static double at(Histogram nanos, double percentile) {
        return micros((double) nanos.getValueAtPercentile(percentile));
    }

    private static double micros(double nanos) {
        return Math.round(nanos / NANOS_PER_MICRO * 10) / 10.0;
    }
}
