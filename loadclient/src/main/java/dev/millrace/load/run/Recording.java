package dev.millrace.load.run;

import dev.millrace.load.http.Timing;
import dev.millrace.load.http.TlsClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The distributions that clients record. Up to 256 clients have one each; more clients share them, hence the lock,
 * which is hardly contended. It is read when the clients have ended.
 */
final class Recording {

    /** A bucket is 128 ns wide at the lower end, and never wider than a thousandth of the value. */
    private static final long LOWEST_NANOS = 128;

    private static final int DIGITS = 3;
    /** With more sizes than these, figures by size are left out: a table of them would tell nothing. */
    private static final int MAX_SIZES = 12;

    private static final double KILOBYTES_PER_SECOND = 1e6;
    private static final double KILOBYTES_PER_MEGABYTE = 1e3;

    private final Histogram latency = histogram();
    private final Histogram raw = histogram();
    private final Histogram headerByte = histogram();
    private final Histogram firstByte = histogram();
    private final Histogram connect = histogram();
    private final Histogram lateness = histogram();
    private final Map<Long, Size> sizes = new TreeMap<>();
    private final Histogram handshakes = histogram();
    private final Set<String> tlsVersions = new TreeSet<>();
    private long fullHandshakes;
    private long resumedHandshakes;

    /** One file size: time to the first body byte in ns, speed in kB/s. */
    private static final class Size {
        private final Histogram init = histogram();
        private final Histogram speed = new Histogram(DIGITS);
    }

    private static Histogram histogram() {
        Histogram histogram = new Histogram(LOWEST_NANOS, 2 * LOWEST_NANOS, DIGITS);
        histogram.setAutoResize(true);
        return histogram;
    }

    /** An exchange in the closed model. */
    synchronized void exchange(long start, Timing timing) {
        latency.recordValue(timing.end() - start);
        headerByte.recordValue(timing.headerByte() - start);
        firstByte.recordValue(timing.bodyByte() - start);
    }

    /** An exchange in the open model, in which a request may be sent later than it was due. */
    synchronized void exchange(long due, long start, Timing timing) {
        latency.recordValue(timing.end() - due);
        raw.recordValue(timing.end() - start);
        headerByte.recordValue(timing.headerByte() - start);
        firstByte.recordValue(timing.bodyByte() - start);
        lateness.recordValue(Math.max(0, start - due));
    }

    /**
     * A complete download, whose figures are kept by the size of its file. It has no speed if its body came by one read.
     * The time from the first byte to the last would be that of this client's checksum.
     */
    synchronized void download(long start, Timing timing) {
        Size size = sizes.get(timing.bodyBytes());
        if (size == null) {
            if (sizes.size() > MAX_SIZES) {
                return;
            }
            size = new Size();
            sizes.put(timing.bodyBytes(), size);
        }
        size.init.recordValue(timing.bodyByte() - start);
        if (!timing.bodyInOneRead()) {
            double nanos = Math.max(1, timing.end() - timing.bodyByte());
            size.speed.recordValue(Math.round(timing.bodyBytes() * KILOBYTES_PER_SECOND / nanos));
        }
    }

    /** How long after its due moment the last byte of a throttled download came. */
    synchronized void throttleLateness(long nanos) {
        lateness.recordValue(Math.max(0, nanos));
    }

    /** The length of a connect in the window, without its TLS handshake. */
    synchronized void connected(long nanos) {
        connect.recordValue(nanos);
    }

    /** A TLS handshake, in the window or not. */
    synchronized void handshake(TlsClient.Handshake one, boolean inWindow) {
        tlsVersions.add(one.version() + ' ' + one.cipher());
        if (one.resumed()) {
            resumedHandshakes++;
        } else {
            fullHandshakes++;
        }
        if (inWindow) {
            handshakes.recordValue(one.nanos());
        }
    }

    /** Adds these distributions to a sum, which no other thread uses. */
    synchronized void addTo(Recording sum) {
        sum.handshakes.add(handshakes);
        sum.tlsVersions.addAll(tlsVersions);
        sum.fullHandshakes += fullHandshakes;
        sum.resumedHandshakes += resumedHandshakes;
        sum.latency.add(latency);
        sum.raw.add(raw);
        sum.headerByte.add(headerByte);
        sum.firstByte.add(firstByte);
        sum.connect.add(connect);
        sum.lateness.add(lateness);
        sizes.forEach((bytes, size) -> {
            Size total = sum.sizes.computeIfAbsent(bytes, key -> new Size());
            total.init.add(size.init);
            total.speed.add(size.speed);
        });
    }

    Histogram latency() {
        return latency;
    }

    Times times() {
        return new Times(
                Percentiles.of(latency),
                known(raw),
                Percentiles.of(headerByte),
                Percentiles.of(firstByte),
                Percentiles.of(connect),
                known(lateness));
    }

    /** TLS of the connections; null in clear text. */
    @Nullable TlsResult tls() {
        return tlsVersions.isEmpty()
                ? null
                : new TlsResult(
                        String.join(", ", tlsVersions), fullHandshakes, resumedHandshakes, Percentiles.of(handshakes));
    }

    List<SizeResult> sizes() {
        if (sizes.size() > MAX_SIZES) {
            return List.of();
        }
        List<SizeResult> results = new ArrayList<>();
        sizes.forEach((bytes, size) -> {
            long speeds = size.speed.getTotalCount();
            boolean known = speeds > 0;
            results.add(new SizeResult(
                    bytes,
                    size.init.getTotalCount(),
                    Percentiles.of(size.init),
                    known ? size.speed.getMean() / KILOBYTES_PER_MEGABYTE : null,
                    Percentiles.isKnown(99, speeds)
                            ? size.speed.getValueAtPercentile(1) / KILOBYTES_PER_MEGABYTE
                            : null,
                    known ? size.speed.getValueAtPercentile(50) / KILOBYTES_PER_MEGABYTE : null));
        });
        return results;
    }

    private static @Nullable Percentiles known(Histogram histogram) {
        return histogram.getTotalCount() == 0 ? null : Percentiles.of(histogram);
    }
}
