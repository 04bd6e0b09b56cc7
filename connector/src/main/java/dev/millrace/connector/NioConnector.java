package dev.millrace.connector;

import dev.millrace.transfer.TransferWorkers;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
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
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.annotation.Name;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Jetty's selector connector, with end points that send files by {@code sendfile(2)}, and with a choice of where a
 * ready connection is served.
 *
 * <pre>{@code
 * NioConnector connector = new NioConnector(server);
 * connector.setPort(8080);
 * server.addConnector(connector);
 * }</pre>
 */
@ManagedObject("Selector connector that sends files by the kernel")
public non-sealed class NioConnector extends MillraceConnector {
    private final TransferWorkers transferWorkers = new TransferWorkers();
    private final AcceptPause acceptPause = new AcceptPause(this);
    private final Arrivals arrivals = new Arrivals();
    private final SelectorStatistics selectorStatistics = new SelectorStatistics(this);
    private volatile Dispatch dispatch = Dispatch.ADAPTIVE;
    private volatile int requestsPerTurn = 64;
    private volatile SelectorDuty[] duties = {};

    /**
     * A connector for HTTP/1.1 with Jetty's number of selectors.
     *
     * @param server the server it belongs to
     */
    public NioConnector(@Name("server") Server server) {
        this(server, -1, -1, new HttpConnectionFactory());
    }

    /**
     * @param server the server it belongs to
     * @param factories the protocols, the default one first
     */
    public NioConnector(@Name("server") Server server, @Name("factories") ConnectionFactory... factories) {
        this(server, -1, -1, factories);
    }

    /**
     * A connector for HTTP/1.1.
     *
     * @param server the server it belongs to
     * @param acceptors the number of threads that accept; 0: the selectors accept; -1: Jetty's default
     * @param selectors the number of selectors; -1: Jetty's default
     */
    public NioConnector(@Name("server") Server server, @Name("acceptors") int acceptors,
            @Name("selectors") int selectors) {
        this(server, acceptors, selectors, new HttpConnectionFactory());
    }

    /**
     * @param server the server it belongs to
     * @param acceptors the number of threads that accept; 0: the selectors accept; -1: Jetty's default
     * @param selectors the number of selectors; -1: Jetty's default
     * @param factories the protocols, the default one first
     */
    public NioConnector(@Name("server") Server server, @Name("acceptors") int acceptors,
            @Name("selectors") int selectors, @Name("factories") ConnectionFactory... factories) {
        this(server, null, null, null, acceptors, selectors, factories);
    }

    /**
     * @param server the server it belongs to
     * @param executor runs acceptors, selectors and handlers; null for the server's
     * @param scheduler runs the timeouts; null for the server's
     * @param bufferPool null for the server's
     * @param acceptors the number of threads that accept; 0: the selectors accept; -1: Jetty's default
     * @param selectors the number of selectors; -1: Jetty's default
     * @param factories the protocols, the default one first
     */
    public NioConnector(@Name("server") Server server, @Name("executor") Executor executor,
            @Name("scheduler") Scheduler scheduler, @Name("bufferPool") ByteBufferPool bufferPool,
            @Name("acceptors") int acceptors, @Name("selectors") int selectors,
            @Name("factories") ConnectionFactory... factories) {
        super(server, executor, scheduler, bufferPool, acceptors, selectors, factories);
        // Started and stopped here: they must outlive the connections, and the selectors are beans from before.
        addBean(transferWorkers, false);
        addBean(selectorStatistics);
    }

    /** @return where a ready connection is served: {@code adaptive}, {@code selector} or {@code handoff} */
    @ManagedAttribute("Where a ready connection is served: adaptive, selector or handoff")
    public String getDispatch() {
        return dispatch.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Chooses where a ready connection is served; takes effect for connections accepted from then on.
     *
     * @param dispatch {@code adaptive}: as Jetty decides by what the handlers say of themselves; {@code selector}: by the
     *     selector's own thread, for handlers that do not block: one that waits for its peer makes the selector's other
     *     connections wait for some milliseconds, one that waits for anything else for a second or two, with {@code adaptive} too;
     *     {@code handoff}: every request by another thread than the selector's; what only goes on with one, as {@code adaptive}
     * @throws IllegalArgumentException for any other word
     */
    public void setDispatch(String dispatch) {
        try {
            this.dispatch = Dispatch.valueOf(dispatch.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException x) {
            throw new IllegalArgumentException("dispatch is adaptive, selector or handoff, not " + dispatch, x);
        }
    }

    /** @return the most requests of a connection that a thread answers in a row */
    @ManagedAttribute("Requests of a connection that a thread answers in a row, when they follow at once")
    public int getRequestsPerTurn() {
        return requestsPerTurn;
    }

    /**
     * Sets how many requests of an HTTP/1.1 connection a thread answers in a row, when each is there as soon as the one before it
     * is answered: that spares the way over the selector and another thread. With
     * {@code dispatch=selector} only by a thread that has left its selector to another; not with TLS; and only by platform threads of a {@link QueuedThreadPool} that has some to spare. Takes effect at once.
     *
     * @param requestsPerTurn at least 1; 64 is the default; 1: the selector waits for each request, as Jetty's does
     */
    public void setRequestsPerTurn(int requestsPerTurn) {
        if (requestsPerTurn < 1) {
            throw new IllegalArgumentException("requestsPerTurn is at least 1, not " + requestsPerTurn);
        }
        this.requestsPerTurn = requestsPerTurn;
    }

    /** @return the number of selectors */
    @ManagedAttribute("Number of selectors")
    public int getSelectors() {
        return getSelectorManager().getSelectorCount();
    }

    /** @return the connections of a selector, on average */
    @ManagedAttribute("Connections per selector, on average")
    public double getConnectionsPerSelector() {
        return (double) getConnectedEndPoints().size() / getSelectors();
    }

    /** @return what the selectors and their connections do */
    public SelectorStatistics getSelectorStatistics() {
        return selectorStatistics;
    }

    /** @return the threads that transfer files */
    public TransferWorkers getTransferWorkers() {
        return transferWorkers;
    }

    @Override
    protected void doStart() throws Exception {
        transferWorkers.setWorkers(getWorkers());
        transferWorkers.setName((getName() == null ? "nio" : getName()) + "-transfer-" + Integer.toHexString(hashCode()));
        transferWorkers.start();
        try {
            super.doStart();
        } catch (Throwable x) {
            // A port in use, for example: there may be another attempt.
            transferWorkers.stop();
            throw x;
        }
        duties = getSelectorManager().getBeans(ManagedSelector.class).stream().map(SelectorDuty::of).toArray(SelectorDuty[]::new);
        for (SelectorDuty duty : duties) {
            duty.start();
        }
    }

    /** Called by whoever may be about to wait, if it may be the thread of any selector. */
    @Override
    void mayWait() {
        for (SelectorDuty duty : duties) {
            if (duty.mayWait()) {
                return;
            }
        }
    }

    @Override
    protected void doStop() throws Exception {
        acceptPause.end();
        try {
            super.doStop();
        } finally {
            arrivals.lose(((Selectors) getSelectorManager())::lose);
            List.copyOf(getConnectedEndPoints()).forEach(EndPoint::close);
            transferWorkers.stop();
            duties = new SelectorDuty[0];
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

    void applyAccepting(boolean accepting) {
        super.setAccepting(accepting);
    }

    private final class Selectors extends ServerConnectorManager {
        private SelectorDuty making;

        private Selectors(Executor executor, Scheduler scheduler, int selectors) {
            super(executor, scheduler, selectors);
        }

        // A selector asks for the executor of its tasks when it is made.
        @Override
        public Executor getExecutor() {
            return making == null ? super.getExecutor() : making;
        }

        @Override
        protected ManagedSelector newSelector(int id) {
            SelectorDuty duty = new SelectorDuty(super.getExecutor(), getScheduler(),
                    (getName() == null ? "nio" : getName()) + "-selector-" + id);
            making = duty;
            ManagedSelector selector = super.newSelector(id);
            making = null;
            duty.takeOn(selector);
            return selector;
        }

        @Override
        protected void onAccepting(SelectableChannel channel) {
            arrivals.begin(channel);
            super.onAccepting(channel);
        }

        @Override
        protected void onAccepted(SelectableChannel channel) {
            if (!arrivals.takeOn(channel)) {
                throw new IllegalStateException("The connector has stopped");
            }
            super.onAccepted(channel);
        }

        @Override
        protected void onAcceptFailed(SelectableChannel channel, Throwable cause) {
            if (arrivals.fail(channel)) {
                super.onAcceptFailed(channel, cause);
            }
        }

        // Who accepts again soon after a pause registers the channel beside its cancelled key: Jetty's acceptor then fails, and closes it.
        @Override
        public Closeable acceptor(SelectableChannel server) {
            getBeans(ManagedSelector.class).forEach(selector -> selector.submit(keys -> forget(server, keys)));
            return super.acceptor(server);
        }

        private static void forget(SelectableChannel server, Selector keys) {
            SelectionKey key = server.keyFor(keys);
            if (key != null && !key.isValid()) {
                try {
                    keys.selectNow();
                } catch (IOException x) {
                    LOG.debug("Cannot forget {}", key, x);
                }
            }
        }

        private void lose(SelectableChannel channel) {
            IO.close(channel);
            super.onAcceptFailed(channel, new ClosedChannelException());
        }

        // A selector that stops closes what it knows; what another thread is just opening it may not know yet. Whoever is
        // open before doStop() looks is closed there, whoever comes later here.
        @Override
        public void connectionOpened(Connection connection, Object context) {
            EndPoint endPoint = onSocket(connection);
            if (endPoint.getTransport() instanceof SelectableChannel channel) {
                arrivals.end(channel);
            }
            if (!(endPoint instanceof NioEndPoint ours) || ours.beginsToTell()) {
                open(connection, context);
            }
            if (!NioConnector.this.isRunning()) {
                endPoint.close();
            }
            if (endPoint instanceof NioEndPoint ours ? ours.hasEnded() : !endPoint.isOpen()) {
                // Its end may have been told of before it was in the set.
                onEndPointClosed(endPoint);
            }
        }

        // Called after the end of the connection was told of: until then it is one of those that are connected. Noted before it leaves
        // them: whoever opens it puts it among them first, and asks then.
        @Override
        protected void endPointClosed(EndPoint endPoint) {
            if (endPoint instanceof NioEndPoint ours) {
                ours.setEnded();
            }
            super.endPointClosed(endPoint);
        }

        // A protocol may be given an end point of its factory's, around that of the socket.
        private static EndPoint onSocket(Connection connection) {
            EndPoint endPoint = connection.getEndPoint();
            while (endPoint instanceof EndPoint.Wrapper wrapper) {
                endPoint = wrapper.unwrap();
            }
            return endPoint;
        }

        private void open(Connection connection, Object context) {
            try {
                super.connectionOpened(connection, context);
            } catch (Throwable x) {
                // Jetty closes the channel only: nobody would be told of the end of what he was told of.
                connection.getEndPoint().close(x);
                throw x;
            }
        }

        // A selector that stops may close what is not yet open: nobody is told of the end of what he was not told of.
        @Override
        public void connectionClosed(Connection connection, Throwable cause) {
            if (!(onSocket(connection) instanceof NioEndPoint ours) || ours.endsToTell()) {
                super.connectionClosed(connection, cause);
            }
        }

        @Override
        protected SelectableChannel doAccept(SelectableChannel server) throws IOException {
            try {
                return super.doAccept(server);
            } catch (IOException x) {
                if (server.isOpen()) {
                    acceptPause.begin(x);
                }
                return null;
            }
        }
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key)
            throws IOException {
        NioEndPoint endPoint = new NioEndPoint(this, channel, selector, key, dispatch);
        endPoint.setIdleTimeout(getIdleTimeout());
        return endPoint;
    }
}
