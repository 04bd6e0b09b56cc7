package dev.millrace.connector;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends connections of peers that are slow on purpose: that trickle the head of a request, or its content, or take an
 * answer by drops. An idle timeout does not see them, for every byte counts as activity.
 *
 * <p>Once a second it looks at all connections, from the scheduler's thread; the path of a request knows nothing of it but that of
 * HTTP/2, see {@link AwaitedContent}. Those that rest give up what they can make again: {@link RestingChannel}.
 */
final class SlowPeers extends AbstractLifeCycle {
    private static final Logger LOG = LoggerFactory.getLogger(SlowPeers.class);
    private static final boolean HAS_HTTP2 = hasHttp2();

    private final MillraceConnector connector;
    private final AwaitedContent awaitedContent;
    private final Set<WatchedEndPoint> ending = ConcurrentHashMap.newKeySet();
    private final LongAdder slowHeads = new LongAdder();
    private final LongAdder slowRequests = new LongAdder();
    private final LongAdder slowResponses = new LongAdder();
    private final LongAdder looks = new LongAdder();
    private volatile long requestHeadTimeoutMillis = 30_000;
    private volatile long minRequestBytesPerSecond = 240;
    private volatile long minResponseBytesPerSecond = 240;
    // A lost packet, sent again, takes its time.
    private volatile long graceMillis = 5000;
    private volatile long periodMillis = 1000;
    private volatile long restMillis = 2000;
    private volatile Scheduler.Task next;
    private volatile int starts;

    SlowPeers(MillraceConnector connector) {
        this.connector = connector;
        awaitedContent = new AwaitedContent(connector);
    }

    // A server may have none of its classes.
    private static boolean hasHttp2() {
        try {
            Class.forName("org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory", false, SlowPeers.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException x) {
            LOG.debug("No HTTP/2 to watch: {}", x.toString());
            return false;
        }
    }

    long getRequestHeadTimeoutMillis() {
        return requestHeadTimeoutMillis;
    }

    void setRequestHeadTimeoutMillis(long millis) {
        requestHeadTimeoutMillis = notNegative("requestHeadTimeoutMillis", millis);
    }

    long getMinRequestBytesPerSecond() {
        return minRequestBytesPerSecond;
    }

    void setMinRequestBytesPerSecond(long bytes) {
        minRequestBytesPerSecond = notNegative("minRequestBytesPerSecond", bytes);
    }

    long getMinResponseBytesPerSecond() {
        return minResponseBytesPerSecond;
    }

    void setMinResponseBytesPerSecond(long bytes) {
        minResponseBytesPerSecond = notNegative("minResponseBytesPerSecond", bytes);
    }

    long getGraceMillis() {
        return graceMillis;
    }

    void setGraceMillis(long millis) {
        graceMillis = notNegative("slowPeerGraceMillis", millis);
    }

    private static long notNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " is at least 0, not " + value);
        }
        return value;
    }

    /** @param millis from one look to the next; a second unless told otherwise */
    void setPeriodMillis(long millis) {
        periodMillis = millis;
    }

    /** @param millis for which an idle connection keeps what it may need for its next request; 2 s unless told otherwise */
    void setRestMillis(long millis) {
        restMillis = millis;
    }

    long getSlowHeads() {
        return slowHeads.sum();
    }

    long getSlowRequests() {
        return slowRequests.sum();
    }

    long getSlowResponses() {
        return slowResponses.sum();
    }

    /** How many times it has looked at all connections. */
    long getLooks() {
        return looks.sum();
    }

    @Override
    protected void doStart() {
        int start = starts + 1;
        starts = start;
        if (HAS_HTTP2) {
            awaitedContent.start();
        }
        schedule(start);
    }

    @Override
    protected void doStop() {
        Scheduler.Task task = next;
        if (task != null) {
            task.cancel();
        }
        if (HAS_HTTP2) {
            awaitedContent.stop();
        }
    }

    private void schedule(int start) {
        next = connector.getScheduler().schedule(() -> sweep(start), periodMillis, TimeUnit.MILLISECONDS);
    }

    private void sweep(int start) {
        // One that was under way at the stop may have planned another after it.
        if (!isRunning() || start != starts) {
            return;
        }
        List<Runnable> ends = new ArrayList<>();
        Map<Connection, Integer> awaited = awaited();
        for (EndPoint endPoint : connector.getConnectedEndPoints()) {
            try {
                if (endPoint instanceof WatchedEndPoint watched && watched.isOpen()) {
                    check(watched, awaited, ends);
                }
            } catch (Throwable x) {
                // One connection's fault must not end the watch over the others.
                LOG.warn("Cannot watch {}", endPoint, x);
            }
        }
        if (!ends.isEmpty()) {
            // Whose end blocks in the application holds up these, until the next look, but not the scheduler, nor the next look. No thread
            // for each: they may be thousands.
            connector.runElsewhere(() -> ends.forEach(SlowPeers::run));
        }
        looks.increment();
        schedule(start);
    }

    private Map<Connection, Integer> awaited() {
        try {
            return awaitedContent.count();
        } catch (Throwable x) {
            LOG.warn("Cannot see who waits for content", x);
            return Collections.emptyMap();
        }
    }

    private static void run(Runnable end) {
        try {
            end.run();
        } catch (Throwable x) {
            LOG.warn("Cannot end a slow connection in order", x);
        }
    }

    private void check(WatchedEndPoint endPoint, Map<Connection, Integer> awaited, List<Runnable> ends) {
        if (endPoint.isWriteGivenUp()) {
            ends.add(() -> endPoint.close(new EofException("write was given up")));
            return;
        }
        Connection outermost = endPoint.getConnection();
        SslConnection ssl = outermost instanceof SslConnection tls ? tls : null;
        Connection connection = ssl == null ? outermost : ssl.getSslEndPoint().getConnection();
        boolean established = ssl == null || PeerPace.isEstablished(ssl);
        int streams = awaited.getOrDefault(connection, 0);
        long idleMillis = endPoint.getIdleFor();
        if (idleMillis >= restMillis && idleMillis < restMillis + 2 * periodMillis) {
            RestingChannel.giveUpCache(connection);
        }
        PeerPace pace = endPoint.getPace();
        long grace = graceMillis;
        pace.sample(endPoint, established ? connection : null, streams, grace);
        FrameWatch frames = HAS_HTTP2 ? FrameWatch.look(outermost, connection, grace) : null;
        if (headIsLate(endPoint, established, connection)
                || frames != null && isOver(frames.millisInFrame(), requestHeadTimeoutMillis)) {
            ends.add(() -> end(endPoint, slowHeads, "request head"));
        } else if (pace.readsBelow(minRequestBytesPerSecond, streams, grace)) {
            ends.add(() -> end(endPoint, slowRequests, "request content"));
        } else if (pace.writesBelow(endPoint, minResponseBytesPerSecond, grace)
                || frames != null && frames.opensWindowsBelow(minResponseBytesPerSecond, grace)) {
            ends.add(() -> end(endPoint, slowResponses, "response"));
        }
    }

    private static boolean isOver(long millis, long timeoutMillis) {
        return timeoutMillis > 0 && millis > timeoutMillis;
    }

    private boolean headIsLate(WatchedEndPoint endPoint, boolean established, Connection connection) {
        long timeout = requestHeadTimeoutMillis;
        if (connection instanceof HttpConnection http && PeerPace.inHead(http)) {
            return isOver(PeerPace.millisInHead(http), timeout);
        }
        if (isOver(endPoint.getPace().millisBeforeHead(), timeout)) {
            return true;
        }
        boolean preliminary = !established || PeerPace.isPreliminary(connection);
        return preliminary && isOver(System.currentTimeMillis() - endPoint.getCreatedTimeStamp(), timeout);
    }

    private void end(WatchedEndPoint endPoint, LongAdder counter, String what) {
        // The next look may come before the end that this one has begun, and another thread end what it finds.
        if (!ending.add(endPoint)) {
            return;
        }
        try {
            if (endPoint.isOpen()) {
                counter.increment();
                LOG.debug("Closing {}: slow {}", endPoint, what);
                endPoint.close(new TimeoutException("peer too slow: " + what));
            }
        } finally {
            ending.remove(endPoint);
        }
    }

    @Override
    public String toString() {
        return "SlowPeers[heads=" + getSlowHeads() + ",requests=" + getSlowRequests() + ",responses="
                + getSlowResponses() + "]";
    }
}
