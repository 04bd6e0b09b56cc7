package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.FlightRecorder;
import dev.millrace.transfer.OpenFileBudget;
import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.transfer.TransferStatistics;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.ThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * What {@link BioConnector} and {@link NioConnector} have in common, beside limits: how they accept, how they send, and the count of
 * what was sent. Any thread may read the settings. Those that can change while it runs say so; the others are for before the start.
 */
@ManagedObject("Connector of Millrace")
public abstract class MillraceConnector extends LimitedConnector {
    private static final ThreadLocal<Boolean> CLOSING = new ThreadLocal<>();

    private final TransferStatistics transferStatistics = new TransferStatistics();
    private final HeaderCache headerCache = new HeaderCache();
    private final LongAdder acceptPauses = new LongAdder();
    // Threads that take an end point out of those that are connected, and tell of its end.
    private final AtomicInteger leaving = new AtomicInteger();
    private final ReadWriteLock inAccept = new ReentrantReadWriteLock();
    private volatile ContentWriter.Factory contentWriters = bufferPool -> GatherWriter.INSTANCE;
    private volatile TransferAlgorithm algorithm = TransferAlgorithm.of("Adaptive");
    private boolean limited;
    private volatile @Nullable StreamExecutor streams;
    private int workers = 50;
    private final AtomicBoolean warnedOfUnserved = new AtomicBoolean();
    /** How long a stop waits for acceptors that it has woken, and then for those who tell of ends. A test may have it wait longer. */
    long stopMillis = OrderlyEnd.MOST_MILLIS;

    MillraceConnector(
            Server server,
            @Nullable Executor executor,
            @Nullable Scheduler scheduler,
            @Nullable ByteBufferPool bufferPool,
            int acceptors,
            int selectors,
            ConnectionFactory... factories) {
        super(
                server,
                executor,
                scheduler,
                bufferPool,
                acceptors,
                selectors,
                factories.length > 0 ? factories : new ConnectionFactory[] {new HttpConnectionFactory()});
        addBean(transferStatistics);
        addBean(headerCache);
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
        headerCache.setSize((int) atLeast(HeaderCache.AS_CONFIGURED, "headerCacheSize", headerCacheSize));
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

    final ContentWriter newContentWriter() {
        return contentWriters.newContentWriter(getByteBufferPool());
    }

    @ManagedAttribute("Algorithm by which files are transferred")
    public String getAlgorithm() {
        return algorithm.toString();
    }

    /**
     * Chooses how transfers of files share the workers; takes effect for transfers that begin from then on.
     *
     * @param algorithm see {@link TransferAlgorithm#of}; default {@code Adaptive}. Where each connection has a thread of its own, only
     *     {@code EqualBlocking} has turns
     * @throws IllegalArgumentException for any other text
     */
    public void setAlgorithm(String algorithm) {
        this.algorithm = TransferAlgorithm.of(algorithm);
    }

    /** Called by an end point that is about to send a region. */
    final TransferAlgorithm announced(FileRegion region) {
        return region.announced(algorithm, transferStatistics);
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
        this.workers = (int) atLeast(1, "workers", workers);
    }

    @ManagedAttribute("How often accepting paused for a second, because the system could not accept")
    public long getAcceptPauses() {
        return acceptPauses.sum();
    }

    /** Takes an end point out of those that are connected, and has it told that its channel is closed, when it is. */
    final void endPointEnded(MillraceEndPoint endPoint, Runnable telling) {
        leaving.incrementAndGet();
        try {
            LingeringClose.Lingering lingering = endPoint.leave();
            if (lingering == null) {
                telling.run();
            } else {
                onEndPointClosed(endPoint);
                lingering.onEnd(telling);
            }
        } finally {
            leaving.decrementAndGet();
        }
    }

    /**
     * Closes what is connected, and waits, for a second at most, until listeners have heard of all ends: a stop is about to
     * forget them. An application that throws when it hears of an end keeps no other connection open.
     *
     * @param noneOpens whether no thread is about to open another
     */
    final void endAll(BooleanSupplier noneOpens) {
        Waiting.until(stopMillis, () -> {
            boolean last = noneOpens.getAsBoolean();
            List.copyOf(getConnectedEndPoints()).forEach(IO::close);
            return last && getConnectedEndPoints().isEmpty() && leaving.get() == 0;
        });
    }

    @Override
    protected void doStart() throws Exception {
        if (getAcceptors() == 0 && getMaxConnections() > 0) {
            throw new IllegalStateException(
                    "maxConnections needs acceptors, for a selector cannot wait before it accepts: "
                            + "set acceptors to 1, or use NetworkConnectionLimit");
        }
        FlightRecorder.warnIfAbsent();
        warnedOfUnserved.set(false);
        limited = getMaxConnections() > 0;
        permits.open();
        if (JettyInternals.hasHttp2()
                && Http2Writes.arePossible(getConnectionFactories())
                && getBean(Http2Writes.class) == null) {
            StreamExecutor made = new StreamExecutor(pool(), getScheduler(), this::mayCollectRequests);
            addBean(made);
            addBean(new Http2Writes(made, getByteBufferPool(), this::executeImmediately));
        }
        super.doStart();
        if (!limited) {
            // Each connection would tell them in vain.
            getSelectorManager().removeEventListener(permits);
        }
        StreamExecutor made = getBean(StreamExecutor.class);
        if (made != null) {
            made.start();
        }
        // Set last: while it starts, Jetty leases threads from the pool, which it knows by its class.
        streams = made;
    }

    final String nameOr(String otherwise) {
        return getName() == null ? otherwise : getName();
    }

    @Override
    protected void doStop() throws Exception {
        streams = null;
        // A handler may stop its own server: then its thread may be the selector's, which is to close the connections.
        aboutToBlock();
        super.doStop();
    }

    /** @return runs what connections have to do, by the pool that was given to the constructor, or the server's */
    @Override
    public Executor getExecutor() {
        Executor current = streams;
        return current == null ? super.getExecutor() : current;
    }

    final Executor pool() {
        return super.getExecutor();
    }

    /** Whether requests of HTTP/2 that were read together may have one thread now. */
    boolean mayCollectRequests() {
        // When threads are short, requests go to the pool's queue, which tells how many wait.
        return RequestLoop.hasThreadsToSpare(pool());
    }

    @Override
    void aboutToBlock() {
        StreamExecutor.aboutToBlock();
    }

    @Override
    public void accept(int acceptorId) throws IOException {
        inAccept.readLock().lock();
        try {
            if (limited) {
                permits.accept(() -> acceptOpen(acceptorId));
            } else {
                acceptOpen(acceptorId);
            }
        } finally {
            inAccept.readLock().unlock();
        }
    }

    private void acceptOpen(int acceptorId) throws IOException {
        if (!isOpen()) {
            // Closed by its user: the acceptor ends, instead of asking again and again.
            throw new ClosedChannelException();
        }
        acceptPermitted(acceptorId);
    }

    /** Accepts one connection; an exception says that none was accepted. */
    void acceptPermitted(int acceptorId) throws IOException {
        super.accept(acceptorId);
    }

    // An interrupt makes accept() throw even when it has accepted, and the peer's descriptor is lost. Closing does not.
    // So only acceptors that wait for the end of a pause are interrupted, and the one that accepted at its beginning
    // has left.
    @Override
    protected void interruptAcceptors() {
        if (getAcceptors() > 0) {
            IO.close((ServerSocketChannel) getTransport());
        }
        permits.close();
        awaitAccepted();
        if (!isAccepting()) {
            super.interruptAcceptors();
        }
    }

    // What acceptors accept that have been woken must be handed over before the selectors stop.
    private void awaitAccepted() {
        try {
            if (inAccept.writeLock().tryLock(stopMillis, TimeUnit.MILLISECONDS)) {
                inAccept.writeLock().unlock();
            }
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    final void runElsewhere(Runnable task) {
        try {
            executeImmediately(() -> runAsClosing(task));
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            LOG.debug("No thread but this one: {}", x.toString());
            runAsClosing(task);
        }
    }

    @Override
    final void runClosing(Runnable task) {
        if (isClosingThread()) {
            task.run();
        } else {
            runElsewhere(task);
        }
    }

    private static void runAsClosing(Runnable task) {
        CLOSING.set(true);
        try {
            task.run();
        } catch (Throwable x) {
            LOG.warn("Cannot end a connection in order", x);
        } finally {
            CLOSING.remove();
        }
    }

    /** Whether the current thread closes connections for others. It tells of each end itself: all of the pool may wait for that. */
    static boolean isClosingThread() {
        return CLOSING.get() != null;
    }

    /** Tells why an accepted connection is closed unserved: when that is no fault of its peer's, in a warning for the first of a start. */
    final void logUnserved(Object channel, Throwable cause) {
        if (cause instanceof IOException || !isRunning() || !warnedOfUnserved.compareAndSet(false, true)) {
            LOG.debug("Cannot serve {}", channel, cause);
        } else {
            LOG.warn("Cannot serve {}, nor perhaps others, which will be told at the level of debug", channel, cause);
        }
    }

    /** Runs a task by another thread, which waits for no other task. */
    void executeImmediately(Runnable task) {
        // A pool of virtual threads takes every task at once, and lets it wait for others: it is passed by.
        Executor virtual = VirtualThreads.getVirtualThreadsExecutor(pool());
        if (virtual != null) {
            virtual.execute(task);
        } else {
            ThreadPool.executeImmediately(pool(), task);
        }
    }

    @Override
    protected boolean handleAcceptFailure(Throwable failure) {
        return isOpen() && (goesOnAfter(failure) || super.handleAcceptFailure(failure));
    }

    /** Whether accepting may go on at once after a failure, for room was made. If not, it is to pause, which is counted. */
    final boolean goesOnAfter(Throwable failure) {
        if (failure instanceof IOException && OpenFileBudget.ofProcess().makeRoom()) {
            return true;
        }
        acceptPauses.increment();
        return false;
    }

    /**
     * A selector that can be stopped although its thread is interrupted. Jetty's own (12.1.14) takes an interrupt during its stop for the
     * end of the stop, which then waits for ever. The thread may have run a handler before, and whoever interrupts that may come late.
     */
    static final class StoppingSelector extends ManagedSelector {
        StoppingSelector(SelectorManager manager, int id) {
            super(manager, id);
        }

        @Override
        protected int select(Selector selector) throws IOException {
            try {
                return super.select(selector);
            } catch (ClosedSelectorException x) {
                // Jetty throws this for the interrupt, too.
                if (!selector.isOpen()) {
                    throw x;
                }
                return 0;
            }
        }
    }
}
