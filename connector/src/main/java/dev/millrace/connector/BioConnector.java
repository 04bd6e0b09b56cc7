package dev.millrace.connector;

import dev.millrace.transfer.TransferPermits;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.annotation.Name;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A connector with a thread for each connection, which blocks while it waits for the peer.
 *
 * <pre>{@code
 * BioConnector connector = new BioConnector(server);
 * connector.setPort(8080);
 * server.addConnector(connector);
 * }</pre>
 *
 * <p>The threads are the connector's own, platform or virtual, and serve HTTP/1.1. The server's pool runs the acceptors. It also runs
 * a request that arrives with the PROXY header, and a pipelined one behind an asynchronous answer. One selector watches every other
 * protocol, and that pool serves it. It is a {@link org.eclipse.jetty.server.ServerConnector}, so that limits,
 * customizers and XML made for that one apply. Files that the application announces go out by {@code sendfile(2)}.
 */
@ManagedObject("Blocking connector, a thread for each connection")
public class BioConnector extends MillraceConnector {
    private final ConnectorStatistics connectorStatistics = new ConnectorStatistics(this::countWriters);
    private final TransferPermits transferPermits = new TransferPermits();
    private Threads threads = Threads.AUTO;
    private int readAheadBytes = 512;
    private final boolean configuresSockets = overridesConfigure(getClass());
    private final AtomicBoolean warnedOfRefused = new AtomicBoolean();
    volatile BioResources resources;

    private enum Threads {
        PLATFORM,
        VIRTUAL,
        AUTO
    }

    /**
     * A connector for HTTP/1.1.
     *
     * @param server the server it belongs to
     */
    public BioConnector(@Name("server") Server server) {
        this(server, 1);
    }

    /**
     * @param server the server it belongs to
     * @param factories the protocols, the default one first; with none HTTP/1.1
     */
    public BioConnector(@Name("server") Server server, @Name("factories") ConnectionFactory... factories) {
        this(server, null, null, null, 1, factories);
    }

    /**
     * @param server the server it belongs to
     * @param acceptors the number of threads that accept, at least 1; -1: Jetty's default
     * @param factories the protocols, the default one first; with none HTTP/1.1
     */
    public BioConnector(
            @Name("server") Server server,
            @Name("acceptors") int acceptors,
            @Name("factories") ConnectionFactory... factories) {
        this(server, null, null, null, acceptors, factories);
    }

    /**
     * @param server the server it belongs to
     * @param executor runs the acceptors, and every protocol but HTTP/1.1; null for the server's
     * @param scheduler runs the timeouts; null for the server's
     * @param bufferPool null for the server's
     * @param acceptors the number of threads that accept, at least 1; -1: Jetty's default
     * @param factories the protocols, the default one first; with none HTTP/1.1
     */
    public BioConnector(
            @Name("server") Server server,
            @Name("executor") @Nullable Executor executor,
            @Name("scheduler") @Nullable Scheduler scheduler,
            @Name("bufferPool") @Nullable ByteBufferPool bufferPool,
            @Name("acceptors") int acceptors,
            @Name("factories") ConnectionFactory... factories) {
        super(server, executor, scheduler, bufferPool, checkAcceptors(acceptors), 1, factories);
        addBean(connectorStatistics);
        addBean(transferPermits);
    }

    private static int checkAcceptors(int acceptors) {
        if (acceptors == 0) {
            throw new IllegalArgumentException("acceptors=0 accepts by a selector: use NioConnector for that, or 1");
        }
        return acceptors;
    }

    @ManagedAttribute("Kind of the connections' threads: platform, virtual or auto")
    public String getThreads() {
        return threads.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Chooses the kind of threads; before start.
     *
     * @param threads {@code platform}, {@code virtual} (JDK 21 and newer), or {@code auto}, the default:
     *     virtual where there are any
     * @throws IllegalArgumentException for any other word
     */
    public void setThreads(String threads) {
        checkNotStarted();
        try {
            this.threads = Threads.valueOf(threads.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException x) {
            throw new IllegalArgumentException("threads is platform, virtual or auto, not " + threads, x);
        }
    }

    @ManagedAttribute("Most bytes read ahead of the protocol, per connection")
    public int getReadAheadBytes() {
        return readAheadBytes;
    }

    /**
     * Sets the largest size of the buffer with which a connection's thread waits; before start. It begins with 128 bytes, and
     * doubles when two reads in a row have filled it. What does not fit is read straight into the protocol's own buffer, by two system calls
     * more.
     *
     * @param readAheadBytes at least 1; default 512
     */
    public void setReadAheadBytes(int readAheadBytes) {
        checkNotStarted();
        this.readAheadBytes = (int) atLeast(1, "readAheadBytes", readAheadBytes);
    }

    @ManagedAttribute("Whether the connections' threads are virtual")
    public boolean isVirtual() {
        BioResources current = resources;
        return current != null && current.threads().isVirtual();
    }

    @ManagedAttribute("Threads that serve connections")
    public int getConnectionThreadCount() {
        BioResources current = resources;
        return current == null ? 0 : current.threads().getRunning();
    }

    /** @return what the connections' threads do */
    public ConnectorStatistics getConnectorStatistics() {
        return connectorStatistics;
    }

    // Counted when somebody asks: a counter would be touched by each write.
    private long countWriters() {
        return getConnectedEndPoints().stream()
                .filter(endPoint -> endPoint instanceof BioEndPoint bio && bio.writeDuty.isWriting())
                .count();
    }

    /** @return the turns of transfers, for algorithms that limit them */
    public TransferPermits getTransferPermits() {
        return transferPermits;
    }

    /** @return watches the channels that do not block; null when the connector has stopped */
    @Nullable ManagedSelector selector() {
        return getSelectorManager().getBean(ManagedSelector.class);
    }

    @Override
    void executeImmediately(Runnable task) {
        resources.threads().execute(task);
    }

    @Override
    protected SelectorManager newSelectorManager(Executor executor, Scheduler scheduler, int selectors) {
        return new AcceptEvents(executor, scheduler);
    }

    @Override
    protected void doStart() throws Exception {
        boolean virtual = threads == Threads.VIRTUAL || (threads == Threads.AUTO && VirtualThreads.areSupported());
        transferPermits.setWorkers(getWorkers());
        warnedOfRefused.set(false);
        resources = new BioResources(
                newConnectionThreads(nameOr("bio") + "-" + Integer.toHexString(hashCode()), virtual),
                connectorStatistics,
                transferPermits,
                getByteBufferPool(),
                readAheadBytes,
                this::getSlowPeerGraceMillis);
        super.doStart();
    }

    ConnectionThreads newConnectionThreads(String threadName, boolean virtual) {
        return new ConnectionThreads(threadName, virtual);
    }

    @Override
    protected void doStop() throws Exception {
        try {
            super.doStop();
        } finally {
            BioResources stopping = resources;
            if (stopping != null) {
                stopping.threads().stop();
            }
        }
    }

    @Override
    void acceptPermitted(int acceptorId) throws IOException {
        SocketChannel channel = ((ServerSocketChannel) getTransport()).accept();
        try {
            acceptEvents().onAccepting(channel);
            if (!channel.isOpen()) {
                // A listener has refused it by a close, and hears only this: NetworkConnectionLimit counts by it.
                acceptFailed(channel, new ClosedChannelException());
                return;
            }
            configure(channel);
            resources.threads().begin(() -> serve(channel));
        } catch (Throwable x) {
            // No thread (OutOfMemoryError is how the JDK says so): this peer is refused, the next may be served.
            connectorStatistics.onRefused();
            if (warnedOfRefused.compareAndSet(false, true)) {
                LOG.warn("Refused {}, and perhaps others, told at the level of debug: {}", channel, x.toString());
            } else {
                LOG.debug("Refused {}: {}", channel, x.toString());
            }
            acceptFailed(channel, x);
        }
    }

    // Jetty sets the options by a Socket, which the JDK keeps with the channel for as long as that lives. It takes 96
    // bytes, of some 5,000 that an idle connection takes.
    private void configure(SocketChannel channel) throws IOException {
        if (configuresSockets) {
            configure(channel.socket());
            return;
        }
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, getAcceptedTcpNoDelay());
            if (getAcceptedReceiveBufferSize() > -1) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, getAcceptedReceiveBufferSize());
            }
            if (getAcceptedSendBufferSize() > -1) {
                channel.setOption(StandardSocketOptions.SO_SNDBUF, getAcceptedSendBufferSize());
            }
        } catch (SocketException x) {
            // The peer may be gone already: the thread that reads finds out.
            LOG.debug("Cannot set the options of {}: {}", channel, x.toString());
        }
    }

    // A subclass may set options of its own, by the Socket that Jetty's method has.
    private static boolean overridesConfigure(Class<?> connector) {
        return Stream.<Class<?>>iterate(connector, c -> c != BioConnector.class, Class::getSuperclass)
                .flatMap(c -> Stream.of(c.getDeclaredMethods()))
                .anyMatch(method -> method.getName().equals("configure")
                        && method.getParameterCount() == 1
                        && method.getParameterTypes()[0] == Socket.class);
    }

    /** @return the life of the connection, null if it has none */
    private @Nullable Runnable serve(SocketChannel channel) {
        try {
            acceptEvents().onAccepted(channel);
            BioEndPoint endPoint = newBlockingEndPoint(channel);
            return endPoint.open(getDefaultConnectionFactory().newConnection(this, endPoint));
        } catch (Throwable x) {
            logUnserved(channel, x);
            acceptFailed(channel, x);
            return null;
        }
    }

    /**
     * Makes the end point of an accepted connection, on the connection's own thread. An override sets up what this
     * makes, or refuses the connection by an exception. An end point of another class is refused.
     *
     * @param channel in blocking mode; closed with the end point, or when this throws
     * @param selector null, for there is none, and no key
     * @return what this method of {@code BioConnector} has made
     */
    @Override
    protected SocketChannelEndPoint newEndPoint(
            SocketChannel channel, @Nullable ManagedSelector selector, @Nullable SelectionKey key) throws IOException {
        return new BioEndPoint(this, channel);
    }

    private BioEndPoint newBlockingEndPoint(SocketChannel channel) throws IOException {
        SocketChannelEndPoint made = newEndPoint(channel, null, null);
        if (made instanceof BioEndPoint blocking) {
            return blocking;
        }
        throw new IllegalStateException(
                "newEndPoint of " + getClass().getName() + " has to return what BioConnector's returns, not " + made);
    }

    /** Called on the connection's thread. */
    void opened(BioEndPoint endPoint) {
        onEndPointOpened(endPoint);
        // A graceful shutdown shortens the idle timeout of connections, and a stop closes them: those that it sees.
        if (isShutdown() && getShutdownIdleTimeout() >= 0) {
            endPoint.setIdleTimeout(getShutdownIdleTimeout());
        }
        if (!isRunning()) {
            endPoint.close();
        }
        endPoint.tellOpening(
                () -> getSelectorManager().connectionOpened(endPoint.getConnection(), null),
                cause -> ended(endPoint, cause, true));
        if (endPoint.hasLeft()) {
            // The connection's end may have been told of before it was in the set.
            onEndPointClosed(endPoint);
        }
    }

    /** Called once for each end point, when it is closed and nobody is about to tell of its opening. */
    void ended(BioEndPoint endPoint, @Nullable Throwable cause, boolean opened) {
        if (opened) {
            getSelectorManager().connectionClosed(endPoint.getConnection(), cause);
        }
        endPointEnded(endPoint, () -> acceptEvents().endPointClosed(endPoint));
        // This comes last, for what it runs is the application's, and may block.
        if (endPoint.httpParser() == null) {
            TlsState.failFarewell(endPoint.getConnection());
        }
    }

    private AcceptEvents acceptEvents() {
        return (AcceptEvents) getSelectorManager();
    }

    /**
     * Passes the events of accepting to the listeners that Jetty keeps at the selector manager: without them
     * {@code NetworkConnectionLimit} and {@code AcceptRateLimit} would do nothing. Its selector watches all protocols but HTTP/1.1.
     */
    private final class AcceptEvents extends ServerConnectorManager {
        private AcceptEvents(Executor executor, Scheduler scheduler) {
            super(executor, scheduler, 1);
        }

        @Override
        protected ManagedSelector newSelector(int id) {
            return new StoppingSelector(this, id);
        }

        @Override
        protected void onAccepting(SelectableChannel channel) {
            super.onAccepting(channel);
        }

        @Override
        protected void onAccepted(SelectableChannel channel) {
            super.onAccepted(channel);
        }

        @Override
        protected void endPointClosed(EndPoint endPoint) {
            super.endPointClosed(endPoint);
        }

        // Nobody accepts any more, and the listeners are still there: the connector takes them away when this has
        // stopped.
        @Override
        protected void doStop() throws Exception {
            try {
                resources.threads().end(getConnectedEndPoints(), connectorStatistics::getThreadsInRead, stopMillis);
            } finally {
                super.doStop();
            }
        }
    }
}
