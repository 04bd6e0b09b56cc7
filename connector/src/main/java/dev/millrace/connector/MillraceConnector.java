package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.limits.ConnectionPermits;
import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.transfer.FlightRecorder;
import dev.millrace.transfer.OpenFileBudget;
import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.transfer.TransferStatistics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.ThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * What {@link BioConnector} and {@link NioConnector} have in common: limits against too many and too slow peers, and the
 * count of what was sent. Settings are made before start; all may be read by any thread.
 */
@ManagedObject("Connector of Millrace")
public abstract class MillraceConnector extends ServerConnector {
    private static final ThreadLocal<Boolean> CLOSING = new ThreadLocal<>();

    private final TransferStatistics transferStatistics = new TransferStatistics();
    private final ConnectionPermits permits = new ConnectionPermits();
    private final ConnectionSweeper sweeper =
            new ConnectionSweeper(this, permits, this::runElsewhere, this::aboutToBlock);
    private final LingeringClose lingeringClose = new LingeringClose();
    private final HeaderCache headerCache = new HeaderCache();
    private volatile ContentWriter.Factory contentWriters = bufferPool -> GatherWriter.INSTANCE;
    private volatile TransferAlgorithm algorithm = TransferAlgorithm.of("Adaptive");
    private final LongAdder acceptPauses = new LongAdder();
    private int workers = 50;
    private volatile boolean warnedOfUnserved;

    MillraceConnector(
            Server server,
            @Nullable Executor executor,
            @Nullable Scheduler scheduler,
            @Nullable ByteBufferPool bufferPool,
            int acceptors,
            int selectors,
            ConnectionFactory... factories) {
        super(server, executor, scheduler, bufferPool, acceptors, selectors, factories);
        addBean(transferStatistics);
        addBean(permits);
        addBean(sweeper);
        addBean(lingeringClose);
        addBean(headerCache);
    }

    /** @return the most connections that wait to be accepted; unless set above 0, what the system allows */
    @ManagedAttribute("Most connections that wait to be accepted")
    @Override
    public int getAcceptQueueSize() {
        int size = super.getAcceptQueueSize();
        return size > 0 ? size : AcceptQueue.read(AcceptQueue.SYSTEM);
    }

    /** @return what was sent, by the way it went */
    public TransferStatistics getTransferStatistics() {
        return transferStatistics;
    }

    @ManagedAttribute("Size of each connection's cache of header fields; -1: as the HttpConfiguration says")
    public int getHeaderCacheSize() {
        return headerCache.getSize();
    }

    /**
     * Sets the size of the cache of request header fields that Jetty's parser keeps for each HTTP/1.1 connection, in
     * place of {@code HttpConfiguration.headerCacheSize}. Jetty's default takes about 98 KB of heap per connection.
     *
     * @param headerCacheSize 0: none, the default; -1: as the {@code HttpConfiguration} says
     */
    public void setHeaderCacheSize(int headerCacheSize) {
        headerCache.setSize(headerCacheSize);
    }

    /**
     * Sets how content that lies in memory is written, in place of the connector's own way: buffers as they are, large ones in
     * slices. Takes effect for connections accepted from then on.
     *
     * @param contentWriters makes a writer for each connection
     */
    public void setContentWriterFactory(ContentWriter.Factory contentWriters) {
        this.contentWriters = Objects.requireNonNull(contentWriters, "contentWriters");
    }

    final ContentWriter.Factory contentWriters() {
        return contentWriters;
    }

    @ManagedAttribute("Algorithm by which files are transferred")
    public String getAlgorithm() {
        return algorithm.toString();
    }

    /**
     * Chooses how transfers of files share the workers; takes effect for transfers that begin from then on.
     *
     * @param algorithm see {@link TransferAlgorithm#of}. Where each connection has a thread of its own, only
     *     {@code EqualBlocking} has turns
     * @throws IllegalArgumentException for any other text
     */
    public void setAlgorithm(String algorithm) {
        this.algorithm = TransferAlgorithm.of(algorithm);
    }

    final TransferAlgorithm transferAlgorithm() {
        return algorithm;
    }

    @ManagedAttribute("Most transfers of files that have their turn at once")
    public int getWorkers() {
        return workers;
    }

    /**
     * Limits the turns that transfers of files take at once; before start. With selectors these are threads, with a thread
     * for each connection they are permits, which only {@code EqualBlocking} asks for.
     *
     * @param workers at least 1, 50 by default
     */
    public void setWorkers(int workers) {
        checkNotStarted();
        if (workers < 1) {
            throw new IllegalArgumentException("workers is at least 1, not " + workers);
        }
        this.workers = workers;
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
        permits.setMost(maxConnections);
    }

    @ManagedAttribute("Time in milliseconds that the head of a request may take; 0: no limit")
    public long getRequestHeadTimeoutMillis() {
        return sweeper.getRequestHeadTimeoutMillis();
    }

    /**
     * Limits the time from the first byte of a request to the end of its head, and over TLS the time of the handshake. With HTTP/2 each
     * frame must end in time, except DATA, and so must the frames of a head together. Checked about once a second.
     *
     * @param requestHeadTimeoutMillis default 30,000; 0: no limit
     */
    public void setRequestHeadTimeoutMillis(long requestHeadTimeoutMillis) {
        sweeper.setRequestHeadTimeoutMillis(requestHeadTimeoutMillis);
    }

    @ManagedAttribute("Least bytes per second of a request's content; 0: no limit")
    public long getMinRequestBytesPerSecond() {
        return sweeper.getMinRequestBytesPerSecond();
    }

    /**
     * Ends requests whose content comes more slowly. Only time in which the application waits for content counts. A request has
     * {@link #getSlowPeerGraceMillis}, and four times that before the first byte. It is left alone once its answer has begun. A
     * connection of HTTP/2 owes the rate for each request whose content is awaited.
     *
     * <p>By default slow requests are ended only while others wait for what they hold, for as long as the grace: a thread of the pool, or
     * one of {@link #getMaxConnections}. See {@link #setSlowRequestsAlwaysEnded}.
     *
     * @param minRequestBytesPerSecond default 240; 0: no limit
     */
    public void setMinRequestBytesPerSecond(long minRequestBytesPerSecond) {
        sweeper.setMinRequestBytesPerSecond(minRequestBytesPerSecond);
    }

    @ManagedAttribute("Least bytes per second that a peer must take; 0: no limit")
    public long getMinResponseBytesPerSecond() {
        return sweeper.getMinResponseBytesPerSecond();
    }

    /**
     * Ends connections whose peer takes what is written more slowly, in any protocol. Only time in which a write waits counts, and only
     * after {@link #getSlowPeerGraceMillis}. Linux reports room when a third of a send buffer is free: as long as that explains the
     * silence, no connection is ended. A peer of HTTP/2 that opens closed windows more slowly is ended too. One that leaves them closed is
     * left to the stream's idle timeout.
     *
     * @param minResponseBytesPerSecond default 240; 0: no limit
     */
    public void setMinResponseBytesPerSecond(long minResponseBytesPerSecond) {
        sweeper.setMinResponseBytesPerSecond(minResponseBytesPerSecond);
    }

    @ManagedAttribute("Time in milliseconds for which a peer may be slower than the least rates")
    public long getSlowPeerGraceMillis() {
        return sweeper.getGraceMillis();
    }

    /** @param slowPeerGraceMillis the time for which a peer may be slower than the least rates; default 5,000 */
    public void setSlowPeerGraceMillis(long slowPeerGraceMillis) {
        sweeper.setGraceMillis(slowPeerGraceMillis);
    }

    @ManagedAttribute("Whether slow requests are ended also while no others wait for what they hold")
    public boolean isSlowRequestsAlwaysEnded() {
        return sweeper.alwaysEndsRequests();
    }

    /** @param slowRequestsAlwaysEnded whether to end slow requests also while no others wait for what they hold; default false */
    public void setSlowRequestsAlwaysEnded(boolean slowRequestsAlwaysEnded) {
        sweeper.setAlwaysEndsRequests(slowRequestsAlwaysEnded);
    }

    @ManagedAttribute("Whether requests of gRPC may be as slow as they like")
    public boolean isGrpcExempt() {
        return sweeper.isGrpcExempt();
    }

    /**
     * Exempts requests of gRPC over HTTP/2 ({@code Content-Type: application/grpc}) from the least rates. Any peer can send that type:
     * set it only where peers are trusted.
     *
     * @param grpcExempt default false; for requests that come from then on
     */
    public void setGrpcExempt(boolean grpcExempt) {
        sweeper.setGrpcExempt(grpcExempt);
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

    @ManagedAttribute("How often accepting paused for a second, because the system could not accept")
    public long getAcceptPauses() {
        return acceptPauses.sum();
    }

    /** Called when accepting pauses. */
    final void onAcceptPause() {
        acceptPauses.increment();
    }

    @ManagedAttribute("Longest time in milliseconds for which a closed connection lingers; 0: none does")
    public long getLingeringCloseMillis() {
        return lingeringClose.getMostMillis();
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
        lingeringClose.setMostMillis(lingeringCloseMillis);
    }

    @ManagedAttribute("Most bytes that are read from a connection that lingers")
    public long getLingeringCloseBytes() {
        return lingeringClose.getMostBytes();
    }

    /**
     * Limits what is read and dropped of a connection that lingers. A client may send the whole of an upload before it
     * looks at the answer that refuses it. It receives that answer only if the upload is no larger than this.
     *
     * @param lingeringCloseBytes at least 1; default 67,108,864
     */
    public void setLingeringCloseBytes(long lingeringCloseBytes) {
        lingeringClose.setMostBytes(lingeringCloseBytes);
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

    final LingeringClose getLingeringClose() {
        return lingeringClose;
    }

    /** Takes an end point out of those that are connected, and has it told that its channel is closed, when it is. */
    final void leave(MillraceEndPoint endPoint, Runnable telling) {
        endPoint.leave();
        LingeringClose.Lingering lingering = endPoint.lingering();
        if (lingering == null) {
            telling.run();
        } else {
            onEndPointClosed(endPoint);
            lingering.onEnd(telling);
        }
    }

    final void checkNotStarted() {
        if (isRunning()) {
            throw new IllegalStateException("cannot be changed while the connector runs");
        }
    }

    @Override
    protected void doStart() throws Exception {
        if (getAcceptors() == 0 && getMaxConnections() > 0) {
            throw new IllegalStateException(
                    "maxConnections needs acceptors, for a selector cannot wait before it accepts: "
                            + "set acceptors to 1, or use NetworkConnectionLimit");
        }
        FlightRecorder.warnIfAbsent();
        warnedOfUnserved = false;
        permits.open();
        if (JettyInternals.hasHttp2()
                && Http2Writes.arePossible(getConnectionFactories())
                && getBean(Http2Writes.class) == null) {
            addBean(new Http2Writes());
        }
        super.doStart();
    }

    /**
     * Takes over a channel that is bound already, in place of binding one; before start. The connector closes it.
     *
     * @param acceptChannel bound to an Internet address
     * @throws IOException when it is not bound
     * @throws IllegalArgumentException when it is bound to a Unix-domain path
     */
    @Override
    public void open(ServerSocketChannel acceptChannel) throws IOException {
        SocketAddress address = acceptChannel.getLocalAddress();
        if (address != null && !(address instanceof InetSocketAddress)) {
            throw new IllegalArgumentException("Cannot listen at the Unix-domain path " + address
                    + ": use Jetty's UnixDomainServerConnector for that");
        }
        super.open(acceptChannel);
    }

    @Override
    public void accept(int acceptorId) throws IOException {
        permits.accept(this::isOpen, () -> acceptPermitted(acceptorId));
    }

    /** Accepts one connection; an exception says that none was accepted. */
    void acceptPermitted(int acceptorId) throws IOException {
        super.accept(acceptorId);
    }

    // An interrupt makes accept() throw even when it has accepted, and the peer's descriptor is lost. Closing does not.
    @Override
    protected void interruptAcceptors() {
        if (getAcceptors() > 0) {
            IO.close((ServerSocketChannel) getTransport());
        }
        permits.close();
        if (!isAccepting()) {
            super.interruptAcceptors();
        }
        permits.awaitAccepted();
    }

    /**
     * Runs at once what closes connections, and may block in the application. The caller, such as the scheduler's one thread, does not
     * wait for it, unless there is no other thread.
     */
    final void runElsewhere(Runnable task) {
        try {
            executeImmediately(() -> close(task));
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            LOG.debug("No thread but this one: {}", x.toString());
            close(task);
        }
    }

    private static void close(Runnable task) {
        CLOSING.set(true);
        try {
            task.run();
        } catch (Throwable x) {
            LOG.warn("Cannot end a connection in order", x);
        } finally {
            CLOSING.remove();
        }
    }

    /**
     * Whether the current thread closes connections for others. It then tells a connection of its end itself: all threads of the pool
     * may be waiting for that end.
     */
    static boolean isClosingThread() {
        return CLOSING.get() != null;
    }

    /** Tells why an accepted connection is closed unserved: when that is no fault of its peer's, in a warning for the first of a start. */
    final void logUnserved(Object channel, Throwable cause) {
        if (cause instanceof IOException || !isRunning() || warnedOfUnserved) {
            LOG.debug("Cannot serve {}", channel, cause);
        } else {
            warnedOfUnserved = true;
            LOG.warn("Cannot serve {}, nor perhaps others, which will be told at the level of debug", channel, cause);
        }
    }

    /** Called by a request's thread that may be about to wait for content of HTTP/2. */
    void aboutToBlock() {}

    /** Runs a task by another thread, which waits for no other task. */
    void executeImmediately(Runnable task) {
        // Not by the pool, if its threads are virtual: that takes every task at once, and lets it wait for others.
        Executor virtual = VirtualThreads.getVirtualThreadsExecutor(getExecutor());
        if (virtual != null) {
            virtual.execute(task);
        } else {
            ThreadPool.executeImmediately(getExecutor(), task);
        }
    }

    @Override
    protected boolean handleAcceptFailure(Throwable failure) {
        if (!isOpen()) {
            return false;
        }
        if (failure instanceof IOException && OpenFileBudget.ofProcess().makeRoom()) {
            return true;
        }
        onAcceptPause();
        return super.handleAcceptFailure(failure);
    }
}
