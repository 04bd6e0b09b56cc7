package dev.millrace.connector;

import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.transfer.TransferStatistics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.ThreadPool;

/**
 * What {@link BioConnector} and {@link NioConnector} have in common: limits against too many and too slow peers, and the
 * count of what was sent. Settings are made before start; all may be read by any thread.
 */
@ManagedObject("Connector of Millrace")
public abstract sealed class MillraceConnector extends ServerConnector permits BioConnector, NioConnector {
    /** How long a stop waits for acceptors that it has woken. */
    private static final long ACCEPT_MILLIS = 1000;

    private final ReadWriteLock inAccept = new ReentrantReadWriteLock();
    private final TransferStatistics transferStatistics = new TransferStatistics();
    private final ConnectionPermits permits = new ConnectionPermits();
    private final SlowPeers slowPeers = new SlowPeers(this);
    private final HeaderCache headerCache = new HeaderCache();
    private volatile ContentWriter.Factory contentWriters = WriteStrategy.GATHER;
    private volatile TransferAlgorithm algorithm = TransferAlgorithm.of("Adaptive");
    private int workers = 50;

    MillraceConnector(Server server, Executor executor, Scheduler scheduler, ByteBufferPool bufferPool, int acceptors,
            int selectors, ConnectionFactory... factories) {
        super(server, executor, scheduler, bufferPool, acceptors, selectors, factories);
        addBean(transferStatistics);
        addBean(permits);
        addBean(slowPeers);
        addBean(headerCache);
    }

    /** @return what was sent, by the way it went */
    public TransferStatistics getTransferStatistics() {
        return transferStatistics;
    }

    /** @return the size of each connection's cache of header fields; -1: as the HttpConfiguration says */
    @ManagedAttribute("Size of each connection's cache of header fields; -1: as the HttpConfiguration says")
    public int getHeaderCacheSize() {
        return headerCache.getSize();
    }

    /**
     * Sets the size of the cache of request header fields that Jetty's parser keeps for each HTTP/1.1 connection, in place of
     * {@code HttpConfiguration.headerCacheSize}, whose default takes about 98 KB of heap per connection.
     *
     * @param headerCacheSize 0: none, the default; -1: as the {@code HttpConfiguration} says
     */
    public void setHeaderCacheSize(int headerCacheSize) {
        headerCache.setSize(headerCacheSize);
    }

    /** @return the name of the way in which content from memory is written, or the class of a factory of your own */
    @ManagedAttribute("How content from memory is written: gather, direct, chunk or adaptive-chunk")
    public String getWriteStrategy() {
        return contentWriters instanceof WriteStrategy named ? named.word() : contentWriters.getClass().getName();
    }

    /**
     * Chooses how content that lies in memory is written; takes effect for connections accepted from then on.
     *
     * @param writeStrategy {@code gather}, the default: the buffers as they are, large ones in slices; {@code direct}: what
     *     lies in the heap is copied into a direct buffer first, whole; {@code chunk}: at most 64 KiB of it at a time;
     *     {@code adaptive-chunk}: no more than the socket took the last time. On BIO's platform threads no call is given
     *     more than 256 KiB, nor more than the peer takes in a small part of the idle timeout: a blocking call tells of no
     *     progress before it returns
     * @throws IllegalArgumentException for any other word
     */
    public void setWriteStrategy(String writeStrategy) {
        contentWriters = WriteStrategy.of(writeStrategy);
    }

    /**
     * Sets a way of writing of your own; takes effect for connections accepted from then on.
     *
     * @param contentWriters makes a writer for each connection
     */
    public void setContentWriterFactory(ContentWriter.Factory contentWriters) {
        this.contentWriters = Objects.requireNonNull(contentWriters, "contentWriters");
    }

    final ContentWriter.Factory contentWriters() {
        return contentWriters;
    }

    /** @return the name of the algorithm by which files are transferred */
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

    /** @return the most transfers of files that have their turn at once */
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

    /** @return the most connections that are open at once; 0: no limit */
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

    /** @return the time in milliseconds that the head of a request may take; 0: no limit */
    @ManagedAttribute("Time in milliseconds that the head of a request may take; 0: no limit")
    public long getRequestHeadTimeoutMillis() {
        return slowPeers.getRequestHeadTimeoutMillis();
    }

    /**
     * Limits the time from the first byte of a request to the end of its head, however busily the peer trickles; over TLS
     * also the time of the handshake. With HTTP/2 a frame is what must end in time, or the frames of a head together; not one of DATA.
     * Checked about once a second.
     *
     * @param requestHeadTimeoutMillis default 30,000; 0: no limit
     */
    public void setRequestHeadTimeoutMillis(long requestHeadTimeoutMillis) {
        slowPeers.setRequestHeadTimeoutMillis(requestHeadTimeoutMillis);
    }

    /** @return the least bytes per second of a request's content; 0: no limit */
    @ManagedAttribute("Least bytes per second of a request's content; 0: no limit")
    public long getMinRequestBytesPerSecond() {
        return slowPeers.getMinRequestBytesPerSecond();
    }

    /**
     * Ends connections whose peer sends a request's content more slowly, counting only the time in which the
     * application waits for it, and not before {@link #getSlowPeerGraceMillis} of waiting. A connection of HTTP/2 owes so many for each
     * request whose content is awaited and that is not answered yet, but for gRPC, whose streams may be silent for long.
     *
     * @param minRequestBytesPerSecond default 240; 0: no limit
     */
    public void setMinRequestBytesPerSecond(long minRequestBytesPerSecond) {
        slowPeers.setMinRequestBytesPerSecond(minRequestBytesPerSecond);
    }

    /** @return the least bytes per second that a peer must take while something is being written to it; 0: no limit */
    @ManagedAttribute("Least bytes per second that a peer must take; 0: no limit")
    public long getMinResponseBytesPerSecond() {
        return slowPeers.getMinResponseBytesPerSecond();
    }

    /**
     * Ends connections whose peer takes what is written more slowly, counting only the time in which a write waits, and
     * not before {@link #getSlowPeerGraceMillis} of waiting. Any protocol. What a peer takes is seen when the system has room
     * for more, which Linux says of a third of a send buffer: as long as that explains the silence nobody is ended, and a
     * peer that takes drops of a large buffer is ended by the idle timeout first. A peer that opens closed windows of HTTP/2 more
     * slowly is ended too, not one that leaves them closed: that is for the idle timeout of the stream.
     *
     * @param minResponseBytesPerSecond default 240; 0: no limit
     */
    public void setMinResponseBytesPerSecond(long minResponseBytesPerSecond) {
        slowPeers.setMinResponseBytesPerSecond(minResponseBytesPerSecond);
    }

    /** @return the time in milliseconds for which a peer may be slower than the least rates */
    @ManagedAttribute("Time in milliseconds for which a peer may be slower than the least rates")
    public long getSlowPeerGraceMillis() {
        return slowPeers.getGraceMillis();
    }

    /** @param slowPeerGraceMillis the time for which a peer may be slower than the least rates; default 5,000 */
    public void setSlowPeerGraceMillis(long slowPeerGraceMillis) {
        slowPeers.setGraceMillis(slowPeerGraceMillis);
    }

    /** @return the connections that were ended because the head of a request, or a handshake, took too long */
    @ManagedAttribute("Connections ended because the head of a request, or a handshake, took too long")
    public long getSlowHeads() {
        return slowPeers.getSlowHeads();
    }

    /** @return the connections that were ended because the content of a request came too slowly */
    @ManagedAttribute("Connections ended because the content of a request came too slowly")
    public long getSlowRequests() {
        return slowPeers.getSlowRequests();
    }

    /** @return the connections that were ended because an answer was taken too slowly */
    @ManagedAttribute("Connections ended because an answer was taken too slowly")
    public long getSlowResponses() {
        return slowPeers.getSlowResponses();
    }

    final void checkNotStarted() {
        if (isRunning()) {
            throw new IllegalStateException("cannot be changed while the connector runs");
        }
    }

    @Override
    protected void doStart() throws Exception {
        if (getAcceptors() == 0 && getMaxConnections() > 0) {
            throw new IllegalStateException("maxConnections needs acceptors, for a selector cannot wait before it accepts: "
                    + "set acceptors to 1, or use NetworkConnectionLimit");
        }
        permits.open();
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
        inAccept.readLock().lock();
        try {
            acceptWithPermit(acceptorId);
        } finally {
            inAccept.readLock().unlock();
        }
    }

    private void acceptWithPermit(int acceptorId) throws IOException {
        permits.acquire();
        boolean accepted = false;
        try {
            if (!isOpen()) {
                // Closed by its user: the acceptor ends, instead of asking again and again.
                throw new ClosedChannelException();
            }
            acceptPermitted(acceptorId);
            accepted = true;
        } finally {
            if (!accepted) {
                permits.release();
            }
        }
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
        awaitAcceptors();
    }

    // Selectors stop next: whoever has accepted must have handed over by then.
    private void awaitAcceptors() {
        try {
            if (inAccept.writeLock().tryLock(ACCEPT_MILLIS, TimeUnit.MILLISECONDS)) {
                inAccept.writeLock().unlock();
            }
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs what may block in the application, at once, for who must not wait for it: the scheduler, who has one thread for all. */
    final void runElsewhere(Runnable task) {
        try {
            executeImmediately(() -> {
                try {
                    task.run();
                } catch (Throwable x) {
                    LOG.warn("Cannot end a connection of {} in order", this, x);
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            LOG.debug("No thread but this one: {}", x.toString());
            task.run();
        }
    }

    /** Called by whoever may be about to wait for content of HTTP/2. */
    void mayWait() {
    }

    /** Runs a task by another thread, which waits for no other task. */
    void executeImmediately(Runnable task) {
        ThreadPool.executeImmediately(getExecutor(), task);
    }

    @Override
    protected boolean handleAcceptFailure(Throwable failure) {
        return isOpen() && super.handleAcceptFailure(failure);
    }
}
