package dev.millrace.limits;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.transfer.PlannedLooks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Components;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what peers are too slow with: the head of a request, its content, or the taking of an answer. An idle timeout does not see
 * them, for every byte counts as activity.
 *
 * <p>Slow content is ended where others wait for the thread or the connection that it holds ({@link Shortage}), or
 * always, if the connector says so. The application is told by a failed read, and Jetty answers 408 if nothing has been
 * answered. With HTTP/2 only the requests end, with HTTP/1.1 the connection too.
 *
 * <p>Once a second it looks at all connections, from the scheduler's thread. No request calls it on its way, but those of
 * HTTP/2: see {@link Http2ContentDemand}. Idle connections of HTTP/1.1 give up what they can make again.
 */
public final class ConnectionSweeper extends AbstractLifeCycle {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionSweeper.class);

    private static final String CONTENT = "request content";
    /** Longer than any connection lives, and so short that a {@code long} holds multiples of it. */
    private static final long MOST_GRACE_MILLIS = TimeUnit.DAYS.toMillis(36_500);

    // Named here to be loaded with this class: a look may find the process without a descriptor to load them.
    private static final Set<Class<?>> CLASSES_OF_A_LOOK = Set.of(
            Look.class,
            PeerRates.class,
            RateMeter.class,
            Http2ContentDemand.Streams.class,
            PeerEnd.class,
            SlowPeerException.class);

    private final ServerConnector connector;
    private final Limits limits;
    private final Executor closingThreads;
    private final Http2ContentDemand contentDemand;
    private final Shortage shortage;
    private final Set<MonitoredEndPoint> ending = ConcurrentHashMap.newKeySet();
    private final LongAdder slowHeads = new LongAdder();
    private final LongAdder slowRequests = new LongAdder();
    private final LongAdder slowResponses = new LongAdder();
    private final LongAdder looks = new LongAdder();
    private volatile long periodMillis = 1000;
    private volatile long restMillis = 2000;
    private volatile LongSupplier clock = NanoTime::now;
    // Belongs to the thread that looks.
    private long lookedMillis;
    private final PlannedLooks plannedLooks;

    /** Settings of the connector, which says what they mean. They may change at any time, and hold for the next look. */
    public record Limits(
            LongSupplier requestHeadTimeoutMillis,
            LongSupplier minRequestBytesPerSecond,
            LongSupplier minResponseBytesPerSecond,
            LongSupplier graceMillis,
            BooleanSupplier alwaysEndsRequests,
            BooleanSupplier exemptsGrpc) {}

    /**
     * @param connector whose connections are looked at
     * @param closingThreads run what ends connections, which may block in the application
     * @param aboutToBlock called on the thread of a request of HTTP/2 that may be about to wait for content
     */
    public ConnectionSweeper(
            ServerConnector connector,
            ConnectionPermits permits,
            Limits limits,
            Executor closingThreads,
            Runnable aboutToBlock) {
        this.connector = connector;
        this.limits = limits;
        this.closingThreads = closingThreads;
        contentDemand = new Http2ContentDemand(connector, limits.exemptsGrpc(), aboutToBlock);
        shortage = new Shortage(connector.getExecutor(), permits);
        plannedLooks =
                new PlannedLooks(connector, connector::getScheduler, Runnable::run, () -> periodMillis, this::look);
    }

    /** Whether the pool has come to the task by which it was last asked for a thread. */
    public boolean hasPoolAnswered() {
        return shortage.isAnswered();
    }

    /** @param millis from one look to the next; a second unless told otherwise */
    public void setPeriodMillis(long millis) {
        periodMillis = millis;
    }

    /** @param nanoTimes tells the time of a look; {@link NanoTime} unless told otherwise */
    public void setClock(LongSupplier nanoTimes) {
        clock = nanoTimes;
    }

    /** @param millis for which an idle connection keeps what it may need for its next request; 2 s unless told otherwise */
    public void setRestMillis(long millis) {
        restMillis = millis;
    }

    public long getSlowHeads() {
        return slowHeads.sum();
    }

    public long getSlowRequests() {
        return slowRequests.sum();
    }

    public long getSlowResponses() {
        return slowResponses.sum();
    }

    /** @return how often all connections were looked at */
    public long getLooks() {
        return looks.sum();
    }

    @Override
    protected void doStart() {
        LOG.debug("Looks by {}", CLASSES_OF_A_LOOK);
        if (JettyInternals.hasHttp2()) {
            LOG.debug(
                    "And by {}",
                    Set.of(Http2RateMonitor.class, WindowMeter.Window.class, Http2ContentDemand.AskedStream.class));
            contentDemand.start();
        }
        shortage.begin();
        plannedLooks.start();
    }

    @Override
    protected void doStop() {
        plannedLooks.stop();
        if (JettyInternals.hasHttp2()) {
            contentDemand.stop();
        }
    }

    /** Called for each connection that has ended. The opening of one is on the way of a request. */
    public void resume() {
        plannedLooks.resume();
    }

    /** Looks at all connections. By one thread at a time. */
    public void look() {
        Look look = new Look();
        lookedMillis = look.nowMillis;
        for (EndPoint endPoint : connector.getConnectedEndPoints()) {
            try {
                if (endPoint instanceof MonitoredEndPoint watched && watched.isOpen()) {
                    look.at(watched);
                }
            } catch (Throwable x) {
                // One connection's fault must not end the watch over the others.
                LOG.warn("Cannot watch {}", endPoint, x);
            }
        }
        shortage.look(look.contentIsAwaited && look.minRequestBytesPerSecond > 0, look.now);
        if (!look.ends.isEmpty()) {
            // An end that blocks in the application holds up the others of this look, but not the scheduler, nor the
            // next look. They have no thread each, for they may be thousands.
            closingThreads.execute(() -> PeerEnd.run(look.ends));
        }
        looks.increment();
    }

    private final class Look {
        private final long requestHeadTimeoutMillis =
                limits.requestHeadTimeoutMillis().getAsLong();
        private final long minRequestBytesPerSecond =
                limits.minRequestBytesPerSecond().getAsLong();
        private final long minResponseBytesPerSecond =
                limits.minResponseBytesPerSecond().getAsLong();
        private final long graceMillis = Math.min(limits.graceMillis().getAsLong(), MOST_GRACE_MILLIS);
        private final List<PeerEnd> ends = new ArrayList<>();
        private final long now = clock.getAsLong();
        private final long nowMillis = PeerRates.millis(now);
        private final int sinceMillis = (int) Math.min(nowMillis - lookedMillis, Integer.MAX_VALUE);
        private final Map<Connection, Http2ContentDemand.Streams> awaited = awaited(graceMillis, now);
        private final boolean endsRequests =
                limits.alwaysEndsRequests().getAsBoolean() || shortage.isOfConnections(graceMillis, now);
        private final boolean lacksThreads = shortage.isOfThreads(graceMillis, now);
        private boolean contentIsAwaited = !awaited.isEmpty();

        private void at(MonitoredEndPoint endPoint) {
            if (endPoint.isWriteGivenUp()) {
                ends.add(new PeerEnd(endPoint, null, () -> {
                    endPoint.close(new EofException("write was given up"));
                    return true;
                }));
                return;
            }
            Connection outermost = endPoint.getConnection();
            SslConnection ssl = outermost instanceof SslConnection tls ? tls : null;
            Connection connection = spoken(outermost);
            PeerRates rates = endPoint.getRates();
            boolean isOld = isOver(rates.millisSinceFirstLook(sinceMillis), requestHeadTimeoutMillis);
            boolean established = ssl == null || PeerRates.isSeenEstablished(ssl, endPoint, connection, isOld);
            long idleMillis = endPoint.getIdleFor();
            if (idleMillis >= restMillis && idleMillis < restMillis + 2 * periodMillis) {
                giveUpCache(connection);
            }
            Http2ContentDemand.Streams streams = awaited.getOrDefault(connection, Http2ContentDemand.Streams.NONE);
            rates.sample(
                    endPoint,
                    sinceMillis,
                    established ? connection : null,
                    streams.sending().size(),
                    graceMillis);
            contentIsAwaited |= rates.awaitsContent();
            Http2RateMonitor frames =
                    JettyInternals.hasHttp2() ? Http2RateMonitor.look(outermost, connection, now, graceMillis) : null;
            if (headIsLate(endPoint, connection)
                    || (isOld && (!established || JettyInternals.isPreliminary(connection)))
                    || (frames != null && isOver(frames.millisInFrame(), requestHeadTimeoutMillis))) {
                long messages = connection.getMessagesIn();
                ends.add(new PeerEnd(
                        endPoint,
                        "request head",
                        () -> isAsSeen(endPoint, connection, messages)
                                && close(endPoint, slowHeads, 1, "request head")));
            } else if (rates.writesBelow(endPoint, minResponseBytesPerSecond, graceMillis)
                    || (frames != null && frames.opensWindowsBelow(minResponseBytesPerSecond, graceMillis))) {
                ends.add(new PeerEnd(endPoint, "response", () -> close(endPoint, slowResponses, 1, "response")));
            } else if (minRequestBytesPerSecond > 0) {
                endSlowContent(endPoint, connection, streams);
            }
        }

        private boolean headIsLate(MonitoredEndPoint endPoint, Connection connection) {
            HttpParser parser = JettyInternals.parserOf(connection);
            long millis = parser != null && PeerRates.inHead(parser)
                    ? PeerRates.millisInHead(parser)
                    : endPoint.getRates().millisBeforeHead();
            return isOver(millis, requestHeadTimeoutMillis);
        }

        private void endSlowContent(
                MonitoredEndPoint endPoint, Connection connection, Http2ContentDemand.Streams streams) {
            PeerRates rates = endPoint.getRates();
            if (JettyInternals.parserOf(connection) != null) {
                if ((endsRequests || (lacksThreads && endPoint.isServedByPool()))
                        && rates.readsBelow(minRequestBytesPerSecond, 1, graceMillis)) {
                    endSlowContent(endPoint, spokenOver(connection));
                }
            } else if (endsRequests || lacksThreads) {
                List<Http2ContentDemand.AskedStream> late = new ArrayList<>(streams.silent());
                if (rates.readsBelow(minRequestBytesPerSecond, streams.sending().size(), graceMillis)) {
                    late.addAll(streams.sending());
                }
                for (Http2ContentDemand.AskedStream stream : late) {
                    Request request = stream.take();
                    ends.add(new PeerEnd(endPoint, CONTENT, () -> fail(request)));
                }
            }
        }

        private void endSlowContent(MonitoredEndPoint endPoint, AbstractEndPoint spokenOver) {
            if (!endPoint.getRates().isTold()) {
                endPoint.getRates().tell();
                // The count comes first: a later look's end may overtake this one, and the peer ask for the count.
                slowRequests.increment();
                ends.add(new PeerEnd(endPoint, CONTENT, () -> fail(spokenOver)));
            } else {
                // The application has had another grace, and has neither answered nor let the connection go.
                ends.add(new PeerEnd(endPoint, null, () -> close(endPoint, slowRequests, 0, CONTENT)));
            }
        }
    }

    private static Connection spoken(Connection outermost) {
        return outermost instanceof SslConnection ssl ? ssl.getSslEndPoint().getConnection() : outermost;
    }

    // One end of a look may hold up the others: the head may have come meanwhile, or the protocol been chosen. With
    // HTTP/1.1 a head is counted before it is handled.
    private static boolean isAsSeen(MonitoredEndPoint endPoint, Connection connection, long messages) {
        return spoken(endPoint.getConnection()) == connection
                && (JettyInternals.parserOf(connection) == null || connection.getMessagesIn() == messages);
    }

    // A servlet's channel, with its streams and their locks, is a fifth of what an idle connection of NioConnector
    // takes. Jetty allows that it is discarded at any time (Components). A request that begins meanwhile goes on with
    // what it has found.
    private static void giveUpCache(Connection connection) {
        HttpParser parser = JettyInternals.parserOf(connection);
        if (parser != null && parser.isStart() && connection.getMessagesIn() > 0) {
            Components components = JettyInternals.componentsOf(connection);
            if (components != null) {
                components.getCache().clearAttributes();
            }
        }
    }

    private Map<Connection, Http2ContentDemand.Streams> awaited(long grace, long now) {
        if (!JettyInternals.hasHttp2()) {
            // The classes of a look at HTTP/2 were not loaded at the start.
            return Collections.emptyMap();
        }
        try {
            return contentDemand.look(PeerRates.GRACES_BEFORE_CONTENT * grace, now);
        } catch (Throwable x) {
            LOG.warn("Cannot see which requests wait for content", x);
            return Collections.emptyMap();
        }
    }

    // Inside TLS it is another end point than the channel's. That of the PROXY protocol only wraps one.
    private static AbstractEndPoint spokenOver(Connection connection) {
        EndPoint endPoint = connection.getEndPoint();
        while (!(endPoint instanceof AbstractEndPoint) && endPoint instanceof EndPoint.Wrapper proxied) {
            endPoint = proxied.unwrap();
        }
        return (AbstractEndPoint) endPoint;
    }

    private static boolean isOver(long millis, long timeoutMillis) {
        return timeoutMillis > 0 && millis > timeoutMillis;
    }

    // The request is failed by its interest in the peer's bytes, as by a failed connection. Only one thread can take
    // that interest. Otherwise the application's might read while Jetty drops the same bytes, and find no buffer.
    // Where bytes have just come there is no interest: the request has another grace, or is closed.
    private static boolean fail(AbstractEndPoint endPoint) {
        boolean isFailed = endPoint.getFillInterest().onFail(new SlowPeerException(CONTENT));
        if (isFailed) {
            LOG.debug("Ended the request of {}: slow {}", endPoint, CONTENT);
        }
        return isFailed;
    }

    // Jetty runs the demand that waits for content on this thread if it does not block, and else on one of its own.
    private boolean fail(Request request) {
        // Counted first: the peer may ask for the count as soon as it sees the end.
        slowRequests.increment();
        try {
            request.fail(new SlowPeerException(CONTENT));
            LOG.debug("Ended {}: slow {}", request, CONTENT);
            return true;
        } catch (IllegalStateException | NullPointerException x) {
            // By these exceptions Jetty's request says that it is over (HttpChannelState, 12.1.12).
            LOG.debug("Has ended meanwhile: {}", request);
            slowRequests.decrement();
            return false;
        }
    }

    private boolean close(MonitoredEndPoint endPoint, LongAdder counter, int count, String what) {
        // The next look may come before this end is over. Then another thread is about to end, and count, the same.
        if (!ending.add(endPoint)) {
            return false;
        }
        try {
            boolean open = endPoint.isOpen();
            if (open) {
                // Counted first: the peer may ask for the count as soon as it sees the end.
                counter.add(count);
                LOG.debug("Closing {}: slow {}", endPoint, what);
                endPoint.end(new SlowPeerException(what));
            }
            return open;
        } finally {
            ending.remove(endPoint);
        }
    }

    @Override
    public String toString() {
        return "ConnectionSweeper[heads=" + getSlowHeads() + ",requests=" + getSlowRequests() + ",responses="
                + getSlowResponses() + "]";
    }
}
