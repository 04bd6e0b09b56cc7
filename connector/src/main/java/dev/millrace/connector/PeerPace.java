package dev.millrace.connector;

import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.NanoTime;

/**
 * How fast one peer sends and takes, measured from one look to the next while somebody waits for it. Used by the
 * scheduler's thread only, which finds what the connection's threads did by their volatile writes: the parser's state,
 * and the time of the last activity.
 */
final class PeerPace {
    private Pace reads;
    private Pace writes;
    private long sampledNanoTime = NanoTime.now();

    /** One direction, while somebody waits for the peer in it: an idle connection has none. */
    private static final class Pace {
        private long total;
        private long millis;
        private long bytes;

        private Pace(long total) {
            this.total = total;
        }

        private void sample(long totalNow, long sinceMillis, long graceMillis) {
            millis += sinceMillis;
            bytes += totalNow - total;
            total = totalNow;
            if (millis > 2 * graceMillis) {
                // What the peer did long ago does not excuse what it does now.
                millis /= 2;
                bytes /= 2;
            }
        }

        private boolean isBelow(long bytesPerSecond, long graceMillis) {
            return millis >= graceMillis && bytes * 1000 < bytesPerSecond * millis;
        }
    }

    boolean readsBelow(long bytesPerSecond, long graceMillis) {
        return reads != null && reads.isBelow(bytesPerSecond, graceMillis);
    }

    boolean writesBelow(long bytesPerSecond, long graceMillis) {
        return writes != null && writes.isBelow(bytesPerSecond, graceMillis);
    }

    void sample(WatchedEndPoint endPoint, HttpConnection http, long graceMillis) {
        long now = NanoTime.now();
        long since = NanoTime.millisElapsed(sampledNanoTime, now);
        sampledNanoTime = now;
        // The volatile read that makes the plain counters of the connection's threads visible.
        endPoint.getIdleFor();
        boolean awaitsContent = http != null && http.getParser().inContentState() && endPoint.isFillInterested();
        reads = sampled(reads, awaitsContent, http == null ? 0 : http.getBytesIn(), since, graceMillis);
        writes = sampled(writes, endPoint.isWritePending(), endPoint.getSentBytes(), since, graceMillis);
    }

    private static Pace sampled(Pace pace, boolean waiting, long total, long sinceMillis, long graceMillis) {
        if (!waiting) {
            return null;
        }
        if (pace == null) {
            return new Pace(total);
        }
        pace.sample(total, sinceMillis, graceMillis);
        return pace;
    }

    static boolean inHead(HttpConnection http) {
        HttpParser.State state = http.getParser().getState();
        return state.compareTo(HttpParser.State.START) > 0 && state.compareTo(HttpParser.State.CONTENT) < 0;
    }

    static long millisInHead(HttpConnection http) {
        long begin = http.getParser().getBeginNanoTime();
        return begin == 0 ? 0 : NanoTime.millisSince(begin);
    }

    static boolean isEstablished(SslConnection ssl) {
        return ssl.getSSLEngine().getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING
                && !"NONE".equals(ssl.getSSLEngine().getSession().getProtocol());
    }

    /** Whether the connection only finds out what follows it: Jetty's PROXY protocol, its detector. */
    static boolean isPreliminary(Connection connection) {
        return connection != null && connection.getClass().getName().startsWith("org.eclipse.jetty.server.");
    }
}
