package dev.millrace.load.run;

import dev.millrace.load.http.Timing;
import org.HdrHistogram.Histogram;

/** The distributions of one client. Written by its thread, read when that has ended. */
final class Recording {

    /** A bucket is 128 ns wide at the lower end, and never wider than a thousandth of the value. */
    private static final long LOWEST_NANOS = 128;
    private static final int DIGITS = 3;

    final Histogram latency = histogram();
    final Histogram headerByte = histogram();
    final Histogram firstByte = histogram();
    final Histogram connect = histogram();

    private static Histogram histogram() {
        Histogram histogram = new Histogram(LOWEST_NANOS, 2 * LOWEST_NANOS, DIGITS);
        histogram.setAutoResize(true);
        return histogram;
    }

    void exchange(long start, Timing timing) {
        latency.recordValue(timing.end() - start);
        headerByte.recordValue(timing.headerByte() - start);
        firstByte.recordValue(timing.bodyByte() - start);
    }

    void connected(long nanos) {
        connect.recordValue(nanos);
    }

    void addTo(Recording sum) {
        sum.latency.add(latency);
        sum.headerByte.add(headerByte);
        sum.firstByte.add(firstByte);
        sum.connect.add(connect);
    }
}
