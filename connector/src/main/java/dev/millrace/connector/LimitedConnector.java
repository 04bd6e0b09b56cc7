package dev.millrace.connector;

import dev.millrace.limits.ConnectionPermits;
import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.transfer.SystemLimits;
import dev.millrace.transfer.WarningLimit;
import java.nio.channels.SelectableChannel;
import java.nio.file.Path;
import java.util.EventListener;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * What a connector bears of its peers: how many they are, how slow, and how long they may go on when their connection is closed. It
 * has the settings and the figures, which all may be read by any thread.
 */
@ManagedObject("Connector with limits to its peers")
public abstract class LimitedConnector extends RestartableConnector {
    /** Linux cuts a longer backlog to the number in this file (listen(2)). */
    static final Path MOST_WAITING = Path.of("/proc/sys/net/core/somaxconn");
    /** Linux's own default since 5.4; other systems cut it to theirs. */
    static final int UNKNOWN_MOST_WAITING = 4096;

    private final WarningLimit memoryWarnings = new WarningLimit(1, NanoTime::now);

    final ConnectionPermits permits = new ConnectionPermits();
    private final ConnectionSweeper sweeper = new ConnectionSweeper(
            this,
            permits,
            new ConnectionSweeper.Limits(
                    this::getRequestHeadTimeoutMillis,
                    this::getMinRequestBytesPerSecond,
                    this::getMinResponseBytesPerSecond,
                    this::getSlowPeerGraceMillis,
                    this::isSlowRequestsAlwaysEnded,
                    this::isGrpcExempt),
            this::runElsewhere,
            this::aboutToBlock);
    final LingeringClose lingeringClose =
            new LingeringClose(this::getLingeringCloseMillis, this::getLingeringCloseBytes);
    private volatile long requestHeadTimeoutMillis = 30_000;
    private volatile long minRequestBytesPerSecond = 240;
    private volatile long minResponseBytesPerSecond = 240;
    // A lost packet, sent again, takes its time.
    private volatile long slowPeerGraceMillis = 5000;
    private volatile boolean slowRequestsAlwaysEnded;
    private volatile boolean grpcExempt;
    private volatile long lingeringCloseMillis = 30_000;
    private volatile long lingeringCloseBytes = 64L << 20;

    LimitedConnector(
            Server server,
            @Nullable Executor executor,
            @Nullable Scheduler scheduler,
            @Nullable ByteBufferPool bufferPool,
            int acceptors,
            int selectors,
            ConnectionFactory... factories) {
        super(server, executor, scheduler, bufferPool, acceptors, selectors, factories);
        addBean(permits);
        addBean(sweeper);
        addBean(lingeringClose);
    }

    /**
     * Runs at once what closes connections, and may block in the application. The caller, such as the scheduler's one thread, does not
     * wait for it, unless there is no other thread.
     */
    abstract void runElsewhere(Runnable task);

    /** As {@link #runElsewhere}, but a thread that closes connections already runs it itself: they may be thousands. */
    abstract void runClosing(Runnable task);

    @Override
    protected void onEndPointClosed(EndPoint endPoint) {
        super.onEndPointClosed(endPoint);
        sweeper.resume();
    }

    /** Called by a request's thread that may be about to wait for content of HTTP/2. */
    abstract void aboutToBlock();

    final void checkNotStarted() {
        if (isRunning()) {
            throw new IllegalStateException("cannot be changed while the connector runs");
        }
    }

    static long atLeast(long least, String name, long value) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is at least " + least + ", not " + value);
        }
        return value;
    }

    @ManagedAttribute("Open connections; those that linger are not among them")
    public int getOpenConnections() {
        return getConnectedEndPoints().size();
    }

    @ManagedAttribute("Most connections that are open at once; 0: no limit")
    public int getMaxConnections() {
        return permits.getMost();
    }

    /**
     * Limits the number of open connections. Peers beyond it wait in the system's backlog (see
     * {@link #setAcceptQueueSize}) until a connection ends: they are not accepted and then dropped.
     *
     * @param maxConnections at least 1; 0: no limit, the default
     */
    public void setMaxConnections(int maxConnections) {
        checkNotStarted();
        permits.setMost((int) atLeast(0, "maxConnections", maxConnections));
    }

    /** @return the most connections that wait to be accepted; unless set above 0, what the system allows */
    @ManagedAttribute("Most connections that wait to be accepted")
    @Override
    public int getAcceptQueueSize() {
        int size = super.getAcceptQueueSize();
        return size > 0 ? size : SystemLimits.read(MOST_WAITING, UNKNOWN_MOST_WAITING);
    }

    @ManagedAttribute("Time in milliseconds that the head of a request may take; 0: no limit")
    public long getRequestHeadTimeoutMillis() {
        return requestHeadTimeoutMillis;
    }

    /**
     * Limits the time from the first byte of a request to the end of its head, and over TLS the time of the handshake. With HTTP/2 each
     * frame must end in time, except DATA, and so must the frames of a head together. Checked about once a second.
     *
     * @param requestHeadTimeoutMillis default 30,000; 0: no limit
     */
    public void setRequestHeadTimeoutMillis(long requestHeadTimeoutMillis) {
        this.requestHeadTimeoutMillis = atLeast(0, "requestHeadTimeoutMillis", requestHeadTimeoutMillis);
    }

    @ManagedAttribute("Least bytes per second of a request's content; 0: no limit")
    public long getMinRequestBytesPerSecond() {
        return minRequestBytesPerSecond;
    }

    /**
     * Ends requests whose content comes more slowly. Only time in which the application waits for content counts. A request has
     * {@link #getSlowPeerGraceMillis}, and four times that before the first byte. It is left alone once its answer has begun. A
     * connection of HTTP/2 owes the rate for each request whose content is awaited.
     *
     * <p>By default slow requests are ended only while others wait for what they hold. That is a thread of the pool, or one of
     * {@link #getMaxConnections}. The others must have waited for as long as the grace. See {@link #setSlowRequestsAlwaysEnded}.
     *
     * @param minRequestBytesPerSecond default 240; 0: no limit
     */
    public void setMinRequestBytesPerSecond(long minRequestBytesPerSecond) {
        this.minRequestBytesPerSecond = atLeast(0, "minRequestBytesPerSecond", minRequestBytesPerSecond);
    }

    @ManagedAttribute("Least bytes per second that a peer must take; 0: no limit")
    public long getMinResponseBytesPerSecond() {
        return minResponseBytesPerSecond;
    }

    /**
     * Ends connections whose peer takes what is written more slowly, in any protocol. Only time in which a write waits counts, and only
     * after {@link #getSlowPeerGraceMillis}. Linux reports room when a third of a send buffer is free: as long as that explains the
     * silence, no connection is ended. A peer of HTTP/2 that opens closed windows more slowly is ended too. One that leaves them closed,
     * though it has read before, is left to the stream's idle timeout.
     *
     * @param minResponseBytesPerSecond default 240; 0: no limit
     */
    public void setMinResponseBytesPerSecond(long minResponseBytesPerSecond) {
        this.minResponseBytesPerSecond = atLeast(0, "minResponseBytesPerSecond", minResponseBytesPerSecond);
    }

    @ManagedAttribute("Time in milliseconds for which a peer may be slower than the least rates")
    public long getSlowPeerGraceMillis() {
        return slowPeerGraceMillis;
    }

    /** @param slowPeerGraceMillis the time for which a peer may be slower than the least rates; default 5,000; 0: until the next look */
    public void setSlowPeerGraceMillis(long slowPeerGraceMillis) {
        this.slowPeerGraceMillis = atLeast(0, "slowPeerGraceMillis", slowPeerGraceMillis);
    }

    @ManagedAttribute("Whether slow requests are ended also while no others wait for what they hold")
    public boolean isSlowRequestsAlwaysEnded() {
        return slowRequestsAlwaysEnded;
    }

    /** @param slowRequestsAlwaysEnded whether to end slow requests also while no others wait for what they hold; default false */
    public void setSlowRequestsAlwaysEnded(boolean slowRequestsAlwaysEnded) {
        this.slowRequestsAlwaysEnded = slowRequestsAlwaysEnded;
    }

    @ManagedAttribute("Whether requests of gRPC may be as slow as they like")
    public boolean isGrpcExempt() {
        return grpcExempt;
    }

    /**
     * Exempts requests of gRPC over HTTP/2 ({@code Content-Type: application/grpc}) from the least rates. Any peer can send that type:
     * set it only where peers are trusted.
     *
     * @param grpcExempt default false; for requests that come from then on
     */
    public void setGrpcExempt(boolean grpcExempt) {
        this.grpcExempt = grpcExempt;
    }

    @ManagedAttribute("Connections ended because the head of a request, or a handshake, took too long")
    public long getSlowHeads() {
        return sweeper.getSlowHeads();
    }

    @ManagedAttribute("Requests ended because their content came too slowly")
    public long getSlowRequests() {
        return sweeper.getSlowRequests();
    }

    @ManagedAttribute("Connections ended because an answer was taken too slowly")
    public long getSlowResponses() {
        return sweeper.getSlowResponses();
    }

    @ManagedAttribute("Longest time in milliseconds for which a closed connection lingers; 0: none does")
    public long getLingeringCloseMillis() {
        return lingeringCloseMillis;
    }

    /**
     * Limits the time for which the socket of a connection stays open that this server has answered whole and closed,
     * and the peer has not. What comes is read and dropped. Else the system would reset the connection, and the peer
     * lose what it has yet to receive (RFC 9112 section 9.6). A peer that is silent for five seconds is not waited for
     * any longer. Looked at once a second.
     *
     * @param lingeringCloseMillis default 30,000; 0: sockets are closed at once
     */
    public void setLingeringCloseMillis(long lingeringCloseMillis) {
        this.lingeringCloseMillis = atLeast(0, "lingeringCloseMillis", lingeringCloseMillis);
    }

    @ManagedAttribute("Most bytes that are read from a connection that lingers")
    public long getLingeringCloseBytes() {
        return lingeringCloseBytes;
    }

    /**
     * Limits what is read and dropped of a connection that lingers. A client may send the whole of an upload before it
     * looks at the answer that refuses it. It receives that answer only if the upload is no larger than this.
     *
     * @param lingeringCloseBytes at least 1; default 67,108,864
     */
    public void setLingeringCloseBytes(long lingeringCloseBytes) {
        this.lingeringCloseBytes = atLeast(1, "lingeringCloseBytes", lingeringCloseBytes);
    }

    @ManagedAttribute("Connections that linger now")
    public int getLingeringConnections() {
        return lingeringClose.getLingering();
    }

    @ManagedAttribute("Connections that have lingered, those that linger now among them")
    public long getLingeredConnections() {
        return lingeringClose.getBegun();
    }

    @ManagedAttribute("Connections whose peer sent for too long, or too much, and those for which there was no thread")
    public long getCutLingeringConnections() {
        return lingeringClose.getCut();
    }

    /**
     * Closes a channel that was accepted in vain, and tells listeners: {@code NetworkConnectionLimit} counts by it. Jetty's own
     * {@code SelectorManager.onAcceptFailed(channel, cause)} does the same, but 12.1.14 has deprecated it for removal, and older versions
     * have no other.
     */
    final void acceptFailed(SelectableChannel channel, Throwable cause) {
        IO.close(channel);
        for (EventListener listener : getSelectorManager().getEventListeners()) {
            if (listener instanceof SelectorManager.AcceptListener accepts) {
                try {
                    accepts.onAcceptFailed(channel, cause);
                } catch (Throwable x) {
                    LOG.warn("{} failed when told that {} was accepted in vain", accepts, channel, x);
                }
            }
        }
    }

    /** Tells that connections end for want of memory, once a minute: nothing else does, for Jetty logs it as a fault of a peer. */
    final void warnOfMemory(OutOfMemoryError cause) {
        long leftOut = memoryWarnings.next();
        if (leftOut >= 0) {
            LOG.warn(
                    "Closing connections of {}: {}{}",
                    this,
                    cause.toString(),
                    leftOut == 0 ? "" : ", as were " + leftOut + " more since the last such line");
        }
    }
}
