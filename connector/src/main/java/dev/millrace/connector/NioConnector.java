package dev.millrace.connector;

import dev.millrace.transfer.TransferWorkers;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.annotation.Name;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.ThreadPool;
import org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's selector connector, with end points that send files by {@code sendfile(2)}, and a choice of where a ready connection is served.
 *
 * <pre>{@code
 * NioConnector connector = new NioConnector(server);
 * connector.setPort(8080);
 * server.addConnector(connector);
 * }</pre>
 */
@ManagedObject("Selector connector that sends files by the kernel")
public class NioConnector extends MillraceConnector {
    private final TransferWorkers transferWorkers = new TransferWorkers();
    final AcceptPause acceptPause = new AcceptPause(this, super::setAccepting);
    private final PendingAccepts pendingAccepts = new PendingAccepts();
    private final SelectorStatistics selectorStatistics = new SelectorStatistics(this);
    private volatile Dispatch dispatch = Dispatch.ADAPTIVE;
    private volatile int requestsPerDispatch = 64;
    private volatile SelectorExecutor[] selectorExecutors = {};
    private final BlockingContexts blockingContexts = new BlockingContexts(this);

    /**
     * A connector for HTTP/1.1 with Jetty's number of selectors.
     *
     * @param server the server it belongs to
     */
    public NioConnector(@Name("server") Server server) {
        this(server, -1, -1);
    }

    /**
     * @param server the server it belongs to
     * @param factories the protocols, the default one first; with none HTTP/1.1
     */
    public NioConnector(@Name("server") Server server, @Name("factories") ConnectionFactory... factories) {
        this(server, -1, -1, factories);
    }

    /**
     * @param server the server it belongs to
     * @param acceptors the number of threads that accept; 0: the selectors accept; -1: Jetty's default
     * @param selectors the number of selectors; -1: Jetty's default
     * @param factories the protocols, the default one first; with none HTTP/1.1
     */
    public NioConnector(
            @Name("server") Server server,
            @Name("acceptors") int acceptors,
            @Name("selectors") int selectors,
            @Name("factories") ConnectionFactory... factories) {
        this(server, null, null, null, acceptors, selectors, factories);
    }

    /**
     * @param server the server it belongs to
     * @param executor runs acceptors, selectors and handlers; null for the server's
     * @param scheduler runs the timeouts; null for the server's
     * @param bufferPool null for the server's
     * @param acceptors the number of threads that accept; 0: the selectors accept; -1: Jetty's default
     * @param selectors the number of selectors; -1: Jetty's default
     * @param factories the protocols, the default one first; with none HTTP/1.1
     */
    public NioConnector(
            @Name("server") Server server,
            @Name("executor") @Nullable Executor executor,
            @Name("scheduler") @Nullable Scheduler scheduler,
            @Name("bufferPool") @Nullable ByteBufferPool bufferPool,
            @Name("acceptors") int acceptors,
            @Name("selectors") int selectors,
            @Name("factories") ConnectionFactory... factories) {
        super(server, executor, scheduler, bufferPool, acceptors, selectors, factories);
        // Started and stopped here: the workers must outlive the connections, and the selectors are older beans.
        addBean(transferWorkers, false);
        addBean(selectorStatistics);
    }

    @ManagedAttribute("Where a ready connection is served: adaptive, selector or handoff")
    public String getDispatch() {
        return dispatch.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Chooses where a ready connection is served, of those accepted from then on. A handler that blocks the selector's own thread delays
     * the others: by milliseconds if it waits for its peer, else by a second or two.
     *
     * <ul>
     *   <li>{@code adaptive}, the default: by the selector's own thread what declares not to block, as {@code SendfileHandler} does. All
     *       else by another.
     *   <li>{@code selector}: by the selector's own thread, for handlers that do not block.
     *   <li>{@code handoff}: each request by another.
     * </ul>
     *
     * @param dispatch one of these words
     * @throws IllegalArgumentException for any other word
     */
    public void setDispatch(String dispatch) {
        try {
            this.dispatch = Dispatch.valueOf(dispatch.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException x) {
            throw new IllegalArgumentException("dispatch is adaptive, selector or handoff, not " + dispatch, x);
        }
    }

    @ManagedAttribute("Requests of a connection that a thread answers in a row, when they follow at once")
    public int getRequestsPerDispatch() {
        return requestsPerDispatch;
    }

    /**
     * Sets how many requests of an HTTP/1.1 connection a thread answers in a row, if each is there as soon as the last is answered. Only
     * platform threads of a {@link QueuedThreadPool} that has some to spare do so; with TLS, those of {@link TlsConnectionFactory}. With
     * {@code dispatch=selector} only a thread does so that has left its selector to another. Takes effect at once.
     *
     * @param requestsPerDispatch at least 1; 64 is the default; 1: the selector waits for each request, as Jetty's does
     */
    public void setRequestsPerDispatch(int requestsPerDispatch) {
        this.requestsPerDispatch = (int) atLeast(1, "requestsPerDispatch", requestsPerDispatch);
    }

    @ManagedAttribute("Number of selectors")
    public int getSelectors() {
        return getSelectorManager().getSelectorCount();
    }

    /** @return what the selectors and their connections do */
    public SelectorStatistics getSelectorStatistics() {
        return selectorStatistics;
    }

    /** @return the threads that go on with transfers; started and stopped with this */
    public TransferWorkers getTransferWorkers() {
        return transferWorkers;
    }

    @Override
    protected void doStart() throws Exception {
        transferWorkers.setWorkers(getWorkers());
        transferWorkers.setName(nameOr("nio") + "-transfer-" + Integer.toHexString(hashCode()));
        transferWorkers.start();
        getServer().addEventListener(blockingContexts); // Before the first request.
        try {
            super.doStart();
        } catch (Throwable x) {
            getServer().removeEventListener(blockingContexts);
            transferWorkers.stop();
            throw x;
        }
        acceptPause.end();
        selectorExecutors = getSelectorManager().getBeans(ManagedSelector.class).stream()
                .map(SelectorExecutor::of)
                .toArray(SelectorExecutor[]::new);
        List.of(selectorExecutors).forEach(SelectorExecutor::start);
    }

    /** Whether a request may begin in the selector's thread although a handler may block: that thread leaves before. */
    boolean beginsInSelector() {
        return RequestLoop.hasThreadsToSpare(pool()) && blockingContexts.isOnlyInContexts();
    }

    @Override
    boolean mayCollectRequests() {
        return dispatch != Dispatch.HANDOFF && super.mayCollectRequests();
    }

    /** Called by a thread that may be about to wait, and may be the thread of any selector. */
    @Override
    void aboutToBlock() {
        super.aboutToBlock();
        for (SelectorExecutor selectorExecutor : selectorExecutors) {
            if (selectorExecutor.aboutToBlock()) {
                return;
            }
        }
    }

    @Override
    protected void doStop() throws Exception {
        try {
            super.doStop();
        } finally {
            getServer().removeEventListener(blockingContexts);
            // A connection may still have been opening when endAll() had waited for its second.
            List.copyOf(getConnectedEndPoints()).forEach(IO::close);
            transferWorkers.stop();
            selectorExecutors = new SelectorExecutor[0];
        }
    }

    @Override
    protected SelectorManager newSelectorManager(Executor executor, Scheduler scheduler, int selectors) {
        return new Selectors(executor, scheduler, selectors);
    }

    @Override
    public void setAccepting(boolean accepting) {
        acceptPause.want(accepting);
    }

    private final class Selectors extends ServerConnectorManager {
        private @Nullable SelectorExecutor making;

        private Selectors(Executor executor, Scheduler scheduler, int selectors) {
            super(executor, scheduler, selectors);
        }

        // A selector asks for the executor of its tasks in its constructor.
        @Override
        public Executor getExecutor() {
            return making == null ? super.getExecutor() : making;
        }

        @Override
        protected void doStop() throws Exception {
            Thread current = Thread.currentThread();
            Executor elsewhere = NioConnector.this::executeImmediately;
            OrderlyEnd.end(getConnectedEndPoints(), endPoint -> false, current, elsewhere, stopMillis);
            try {
                super.doStop();
            } finally {
                pendingAccepts.lose(NioConnector.this::acceptFailed);
                endAll(pendingAccepts::isEmpty);
            }
        }

        // Jetty's selectors have the pool tell of a connection's end. All its threads may wait for that end: they read
        // HTTP/2 or a WebSocket. A pool of virtual threads does not tell whether it is short of threads.
        @Override
        protected void execute(Runnable task) {
            if (isClosingThread()) {
                task.run();
            } else if (NioConnector.this.isStopping()
                    && getExecutor() instanceof ThreadPool pool
                    && (pool.isLowOnThreads() || VirtualThreads.isUseVirtualThreads(pool))) {
                executeImmediately(task);
            } else {
                super.execute(task);
            }
        }

        @Override
        protected ManagedSelector newSelector(int id) {
            var made = new SelectorExecutor(super.getExecutor(), getScheduler(), nameOr("nio") + "-selector-" + id);
            making = made;
            ManagedSelector selector = new StoppingSelector(this, id);
            made.takeOn(selector.getBean(AdaptiveExecutionStrategy.class));
            making = null;
            return selector;
        }

        @Override
        protected void onAccepting(SelectableChannel channel) {
            pendingAccepts.begin(channel);
            super.onAccepting(channel);
        }

        @Override
        protected void onAccepted(SelectableChannel channel) {
            if (!pendingAccepts.takeOn(channel)) {
                throw new IllegalStateException("The connector has stopped");
            }
            super.onAccepted(channel);
        }

        // Versions before 12.1.14 have no other method; that one still calls this.
        @SuppressWarnings("removal")
        @Override
        protected void onAcceptFailed(SelectableChannel channel, Throwable cause) {
            if (pendingAccepts.fail(channel)) {
                logUnserved(channel, cause);
                acceptFailed(channel, cause);
                pendingAccepts.end(channel);
            }
        }

        @Override
        public Closeable acceptor(SelectableChannel server) {
            getBeans(ManagedSelector.class)
                    .forEach(selector -> selector.submit(keys -> AcceptPause.forgetCancelledKey(server, keys)));
            return super.acceptor(server);
        }

        // A stopping selector may not know a connection that another thread opens: doStop() closes it, or else this.
        @Override
        public void connectionOpened(Connection connection, Object context) {
            // A connection factory may wrap it.
            EndPoint endPoint = MillraceEndPoint.socket(connection.getEndPoint());
            pendingAccepts.end(endPoint.getTransport());
            // A graceful shutdown shortens the idle timeout of the connections that it sees. It may not have seen this
            // one.
            if (isShutdown() && getShutdownIdleTimeout() >= 0) {
                endPoint.setIdleTimeout(getShutdownIdleTimeout());
            }
            if (endPoint instanceof NioEndPoint ours) {
                ours.tellOpening(
                        () -> open(connection, context),
                        // Another than at the opening, when the protocol has changed meanwhile.
                        cause -> endPointClosed(ours, ours.getConnection(), cause, true));
            } else {
                open(connection, context);
            }
            if (!isRunning() && !isStopping()) {
                endPoint.close();
            }
            if (endPoint instanceof NioEndPoint ours ? ours.hasLeft() : !endPoint.isOpen()) {
                // It may have left the set of end points before it was put there.
                onEndPointClosed(endPoint);
            }
        }

        private void open(Connection connection, Object context) {
            try {
                super.connectionOpened(connection, context);
            } catch (Throwable x) {
                // Jetty closes the channel only. Listeners have heard of the opening, and would not hear of the end.
                connection.getEndPoint().close(x);
                throw x;
            }
        }

        @Override
        public void connectionClosed(Connection connection, Throwable cause) {
            if (MillraceEndPoint.socket(connection.getEndPoint()) instanceof NioEndPoint ours) {
                ours.tellEnd(cause, opened -> endPointClosed(ours, connection, cause, opened));
            } else {
                super.connectionClosed(connection, cause);
            }
        }

        // Until listeners have heard of its end, an end point is one of those that are connected.
        private void endPointClosed(
                NioEndPoint endPoint, @Nullable Connection connection, @Nullable Throwable cause, boolean opened) {
            if (opened) {
                super.connectionClosed(connection, cause);
            }
            endPointEnded(endPoint, () -> super.endPointClosed(endPoint));
        }

        // Jetty calls this after connectionClosed(), or alone for an end point that never had a connection.
        @Override
        protected void endPointClosed(EndPoint endPoint) {
            if (endPoint instanceof NioEndPoint ours) {
                ours.tellEnd(null, opened -> endPointClosed(ours, null, null, false));
            } else {
                super.endPointClosed(endPoint);
            }
        }

        @Override
        protected @Nullable SelectableChannel doAccept(SelectableChannel server) throws IOException {
            while (true) {
                try {
                    return super.doAccept(server);
                } catch (IOException x) {
                    if (!server.isOpen()) {
                        return null;
                    }
                    if (!goesOnAfter(x)) {
                        acceptPause.begin(x);
                        return null;
                    }
                }
            }
        }
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key)
            throws IOException {
        return new NioEndPoint(this, channel, selector, key, dispatch);
    }
}
