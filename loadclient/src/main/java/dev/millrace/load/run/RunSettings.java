package dev.millrace.load.run;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/**
 * What all cells of a run have in common.
 *
 * @param warmup             load before the measured window
 * @param duration           length of the window
 * @param requests           requests after which the window ends earlier, 0 for no such end
 * @param timeout            bound on connecting, and on waiting for an answer; a download's is on waiting for its next
 *                           bytes
 * @param drain              how long exchanges begun in the window may go on after it, and requests that were due in it
 *                           may still be sent
 * @param ramp               clients start spread over this time
 * @param seed               of everything that is drawn
 * @param receiveBufferBytes SO_RCVBUF; 0 leaves it to the system, but for throttled clients, who get
 *                           {@link CellRun#THROTTLED_RECEIVE_BUFFER}
 * @param quantumBytes       what a throttled client reads at once, 0 for a sixteenth of what it may read in a second
 * @param sources            local addresses, clients take turns; empty leaves it to the system
 * @param limits             what makes a cell invalid
 */
public record RunSettings(Warmup warmup, Duration duration, long requests, Duration timeout, Duration drain,
                          Duration ramp, long seed, int receiveBufferBytes, int quantumBytes, List<InetAddress> sources,
                          Limits limits) {

    /** Threads take turns of milliseconds: that nothing came for less time than this is no sign of anything. */
    private static final Duration LEAST_TELLING_DRAIN = Duration.ofMillis(100);

    /** Whether an exchange that has not ended at the end of the drain is a sign of something wrong. */
    boolean drainTells() {
        return drain.compareTo(LEAST_TELLING_DRAIN) >= 0;
    }

    /**
     * Load whose figures are thrown away.
     *
     * @param bursts how often the load comes
     * @param time   how long each time; when detecting, at least so long
     * @param rest   without load after each burst, for the server's compilers and its collector
     * @param detect goes on until throughput is steady and the compilers rest
     * @param most   bound on detecting
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

        /** How long it takes; when detecting, at least. */
        public Duration total() {
            return time.plus(rest).multipliedBy(bursts);
        }
    }

    /**
     * Bounds beyond which figures are not valid.
     *
     * @param maxCov   coefficient of variation of throughput per second in per cent; null for any
     * @param maxSteal share of the cores taken by the hypervisor in per cent; null for any
     * @param require  the verdict that is required, such as {@code server-bound}; null for any
     */
    public record Limits(Double maxCov, Double maxSteal, String require) {

        /** No bounds. */
        public static final Limits NONE = new Limits(null, null, null);
    }
}
