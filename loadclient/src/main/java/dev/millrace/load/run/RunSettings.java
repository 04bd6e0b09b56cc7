package dev.millrace.load.run;

import dev.millrace.load.http.TlsSettings;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The settings that all cells of a run share. Immutable.
 *
 * @param warmup             load before the measured window
 * @param duration           length of the window
 * @param requests           requests after which the window ends earlier; in the open model it ends when so many were
 *                           due; 0 for no such end
 * @param timeout            bound on connecting, and on waiting for an answer; for a download, on waiting for its next
 *                           bytes
 * @param drain              how long exchanges begun in the window may go on after it, and requests that were due in it
 *                           may still be sent
 * @param ramp               time over which the clients start, one after the other
 * @param seed               seed of all random choices
 * @param receiveBufferBytes SO_RCVBUF; 0 leaves it to the system, except for throttled clients, which get
 *                           {@link CellRun#THROTTLED_RECEIVE_BUFFER}
 * @param quantumBytes       bytes that a throttled client reads at once; 0 for a sixteenth of a second's bytes
 * @param sources            local addresses, which clients take in turn; empty leaves it to the system
 * @param tls                how TLS connections are made
 * @param limits             bounds beyond which a cell is invalid
 */
public record RunSettings(
        Warmup warmup,
        Duration duration,
        long requests,
        Duration timeout,
        Duration drain,
        Duration ramp,
        long seed,
        int receiveBufferBytes,
        int quantumBytes,
        List<InetAddress> sources,
        TlsSettings tls,
        Limits limits) {

    /** A shorter silence is no stall, because the kernel schedules threads in slices of milliseconds. */
    private static final Duration LEAST_CONCLUSIVE_DRAIN = Duration.ofMillis(100);

    /** Settings without a ramp, limits, or settings of sockets. */
    public static RunSettings of(Warmup warmup, Duration window, Duration timeout, Duration drain, long seed) {
        return new RunSettings(
                warmup,
                window,
                0,
                timeout,
                drain,
                Duration.ZERO,
                seed,
                0,
                0,
                List.of(),
                TlsSettings.ofJdk(),
                Limits.NONE);
    }

    /** A time as options take it, in whole milliseconds: {@code 10s}, {@code 500ms}, {@code 2m}. */
    public static String text(Duration time) {
        if (time.toMillisPart() != 0) {
            return time.toMillis() + "ms";
        }
        return time.toSecondsPart() != 0 || time.isZero() ? time.toSeconds() + "s" : time.toMinutes() + "m";
    }

    /**
     * The seed of one client's choices. Those of neighbouring seeds have nothing in common: machines that measure
     * together have 1, 2 and 3, and their clients must not draw the same.
     */
    long seedOf(long client) {
        return new SplittableRandom(seed).nextLong() + client;
    }

    /** Whether the drain is long enough to blame the server for exchanges that outlast it. */
    boolean drainIsConclusive() {
        return drain.compareTo(LEAST_CONCLUSIVE_DRAIN) >= 0;
    }

    /**
     * Load before the window, whose figures are thrown away. Immutable.
     *
     * @param bursts number of bursts of load
     * @param time   length of each burst; the least length when detecting
     * @param rest   time without load after each burst, for the server's compilers and its garbage collector
     * @param detect whether the load goes on until throughput is steady and the compilers are idle
     * @param most   bound on the length when detecting
     */
    public record Warmup(int bursts, Duration time, Duration rest, boolean detect, Duration most) {

        /** A warm-up of fixed length. */
        public static Warmup of(Duration time) {
            return new Warmup(1, time, Duration.ZERO, false, time);
        }

        /** Bursts of load of one length, each followed by a rest. */
        public static Warmup of(int bursts, Duration time, Duration rest) {
            return new Warmup(bursts, time, rest, false, time);
        }

        /** Load until throughput is steady, within bounds. */
        public static Warmup detected(Duration least, Duration most) {
            return new Warmup(1, least, Duration.ZERO, true, most);
        }

        /** Length of the warm-up; the least length when detecting. */
        public Duration total() {
            return time.plus(rest).multipliedBy(bursts);
        }
    }

    /**
     * Bounds beyond which figures are not valid. Immutable.
     *
     * @param maxCov   coefficient of variation of throughput per second in per cent; null for any
     * @param maxSteal share of the cores taken by the hypervisor in per cent; null for any
     * @param maxOther share of the cores taken by processes that are neither server nor client in per cent; null for any
     * @param require  the verdict that is required, such as {@code server-bound}; null for any
     */
    public record Limits(
            @Nullable Double maxCov,
            @Nullable Double maxSteal,
            @Nullable Double maxOther,
            @Nullable String require) {

        /** No bounds. */
        public static final Limits NONE = new Limits(null, null, null, null);
    }
}
