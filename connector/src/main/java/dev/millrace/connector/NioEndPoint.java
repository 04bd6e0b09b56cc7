package dev.millrace.connector;

import dev.millrace.jetty.Http2Internals;
import dev.millrace.jetty.JettyInternals;
import dev.millrace.transfer.FileFailedException;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferStatistics;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jetty's end point over a selectable channel, which sends an announced file region by the kernel. It places the tasks
 * of a ready connection as the connector's dispatch says.
 */
final class NioEndPoint extends MillraceEndPoint {
    private static final Logger LOG = LoggerFactory.getLogger(NioEndPoint.class);

    private final Dispatch dispatch;
    private final SelectorExecutor selectorExecutor;
    private final NioConnector connector;
    // Null when the channel had been closed before. The channel has this too, but tells it only while it is open.
    private final @Nullable SocketAddress remote;
    private volatile @Nullable NioTransfer transfer;
    private volatile @Nullable RequestLoop requestLoop;
    private volatile SelectionKey key;
    // A task that copies may take long when so many bytes have been sent. Threads may race for this: it need not be
    // exact. The low bits will do: idle connections are many.
    private int longTaskBytes = NioTransfer.LEAVES_SELECTOR_BYTES;

    NioEndPoint(
            NioConnector connector,
            SocketChannel channel,
            ManagedSelector selector,
            SelectionKey key,
            Dispatch dispatch)
            throws IOException {
        super(channel, selector, key, connector.getScheduler(), connector.newContentWriter());
        this.connector = connector;
        this.remote = super.getRemoteSocketAddress();
        this.key = key;
        this.dispatch = dispatch;
        this.selectorExecutor = SelectorExecutor.of(selector);
        setIdleTimeout(connector.getIdleTimeout());
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return remote;
    }

    @Override
    public @Nullable Runnable onSelected() {
        NioTransfer parked = transfer;
        if (parked != null && parked.isParked()) {
            return onSelected(parked);
        }
        Runnable selected = super.onSelected();
        if (selected == null) {
            return null;
        }
        boolean here = isForSelectorsThread(selected);
        selectorExecutor.place(here);
        longTaskBytes = (int) getSentBytes() + NioTransfer.LEAVES_SELECTOR_BYTES;
        RequestLoop current = requestLoop;
        // Jetty has three tasks for each end point, and gives the same ones again.
        if (current == null || !current.runs(selected)) {
            current = new RequestLoop(this, selected);
            requestLoop = current;
        }
        current.place(here, isToldBlocking());
        return current;
    }

    // Jetty calls a task non-blocking when the handlers are. A handshake in that task computes for milliseconds.
    private boolean isToldBlocking() {
        return switch (dispatch) {
            case ADAPTIVE -> isHandshaking();
            case SELECTOR -> !speaksHttp2();
            case HANDOFF -> key.isReadable() && mayBeginRequest();
        };
    }

    // Whether the selector's own thread runs the task, with SelectorExecutor as its guard. A handler that says it does
    // not block may wait for a disk all the same. What goes on with a request never waits for the pool, whose threads
    // may all be waiting for just that.
    private boolean isForSelectorsThread(Runnable selected) {
        if (goesOn(selected)) {
            return true;
        }
        return switch (dispatch) {
            case SELECTOR -> !isHandshaking() && !speaksHttp2();
            case ADAPTIVE -> key.isReadable() && mayBeginRequest() && !isHandshaking() && mayBeginInSelector(selected);
            case HANDOFF -> false;
        };
    }

    // Jetty's strategy runs it in the selector's thread anyway, but has nobody select meanwhile. A peer may take all at
    // once, and what follows the content of a request may wait for the disk.
    private boolean goesOn(Runnable selected) {
        return Invocable.getInvocationType(selected) == Invocable.InvocationType.NON_BLOCKING
                && (key.isWritable() || !mayBeginRequest())
                && !isHandshaking();
    }

    // A write that goes on runs what the application does next.
    private boolean mayBeginInSelector(Runnable selected) {
        return Invocable.getInvocationType(selected) == Invocable.InvocationType.NON_BLOCKING
                || (!key.isWritable() && connector.beginsInSelector());
    }

    @Override
    void leaveSelector() {
        RequestLoop current = requestLoop;
        if (current != null && dispatch == Dispatch.ADAPTIVE) {
            current.leaveSelector(selectorExecutor);
        }
    }

    // An HTTP/2 connection handles the request behind its preface in the thread that opens it.
    @Override
    public void upgrade(Connection newConnection) {
        if (JettyInternals.hasHttp2() && Http2Internals.sessionOf(newConnection) != null) {
            selectorExecutor.leaveToPool();
        }
        super.upgrade(newConnection);
    }

    // For the requests of such a connection Jetty wakes a thread that reads on. In the selector's thread, threads
    // would change twice for each.
    private boolean speaksHttp2() {
        return JettyInternals.hasHttp2() && Http2Internals.sessionOf(spoken()) != null;
    }

    private boolean isHandshaking() {
        return getConnection() instanceof TlsConnection tls && !tls.isEstablished();
    }

    // The selector's thread does not wait for the disk: a region that is not in memory goes on in a worker.
    private @Nullable Runnable onSelected(NioTransfer parked) {
        boolean readable = key.isReadable();
        boolean writable = key.isWritable();
        Runnable selected = super.onSelected();
        selectorExecutor.place(dispatch == Dispatch.SELECTOR);
        if (!writable) {
            return selected == null ? null : goOn(selected, Invocable.getInvocationType(selected));
        }
        if (parked.onWritable(readable)) {
            // Watched with any dispatch: mincore(2) may be wrong, and the next range may need the disk.
            selectorExecutor.place(true);
            return goOn(parked, parked.getInvocationType());
        }
        return readable ? goOn(getFillInterest()::fillable, getFillInterest().getCallbackInvocationType()) : null;
    }

    // The request of this file has begun: its task must not wait for the pool, whose threads may all wait like this.
    private Runnable goOn(Runnable task, Invocable.InvocationType type) {
        return new ContinuedTask(this, task, dispatch == Dispatch.SELECTOR ? Invocable.InvocationType.BLOCKING : type);
    }

    // False for HTTP/2: its connection reads frames, and other threads handle the requests in them.
    private boolean mayBeginRequest() {
        HttpParser parser = httpParser();
        return parser == null ? JettyInternals.isPreliminary(getConnection()) : !parser.inContentState();
    }

    @Override
    public void replaceKey(SelectionKey newKey) {
        key = newKey;
        super.replaceKey(newKey);
    }

    @Override
    public int fill(ByteBuffer buffer) {
        if (isInputShutdown()) {
            return endOfInput(getConnection());
        }
        RequestLoop current = requestLoop;
        if (isBehindMalformed() || (current != null && current.hasLookedInVain())) {
            return 0;
        }
        int filled = read(buffer);
        if (current != null && current.onFilled(filled)) {
            connector.getSelectorStatistics().onRequestInRow();
        }
        return filled;
    }

    @Override
    protected void needsFillInterest() {
        if (JettyInternals.answersMalformedRequest(getConnection()) || stayForNextRequest()) {
            return;
        }
        super.needsFillInterest();
        if (!isOpen()) {
            // Closed before the interest was there: neither the close nor the selector would tell the reader.
            getFillInterest().onClose();
        }
        // A thread that asks for content may then wait for it; one that asks for a request returns to the selector.
        HttpParser parser = dispatch == Dispatch.HANDOFF ? null : httpParser();
        if (parser != null && (parser.inContentState() || isTlsWriting())) {
            selectorExecutor.aboutToBlock();
        }
    }

    @Override
    @Nullable Thread handlingThread() {
        RequestLoop current = requestLoop;
        return current == null ? null : current.thread();
    }

    // Stays only where nothing else is left to do: TLS may ask for bytes in the middle of a write, and then wait.
    private boolean stayForNextRequest() {
        RequestLoop current = requestLoop;
        Connection connection = getConnection();
        HttpParser parser = connection instanceof TlsConnection tls && tls.isOnlyRead()
                ? httpParser()
                : JettyInternals.parserOf(connection);
        return current != null
                && awaitsRequest(parser)
                && current.stayForNextRequest(connector.getRequestsPerDispatch(), connector.pool());
    }

    // False at the end of a connection: a thread that looks in vain then closes it before the peer has read the answer.
    private static boolean awaitsRequest(@Nullable HttpParser parser) {
        return parser != null && parser.getState().compareTo(HttpParser.State.CONTENT) < 0;
    }

    @Override
    protected void onIncompleteFlush() {
        if (!selectorExecutor.aboutToBlock() && dispatch == Dispatch.SELECTOR) {
            // A handler may write to any connection.
            connector.aboutToBlock();
        }
        NioTransfer current = transfer;
        if (current != null && current.goOn()) {
            return;
        }
        beginWait();
        super.onIncompleteFlush();
    }

    @Override
    public Callback cancelWrite(Throwable cause) {
        NioTransfer current = cancelTransfer();
        if (current != null) {
            // WriteFlusher waits in a busy loop until the thread in flush() has left it: a slow disk may keep that one.
            Waiting.until(() -> !current.isSending());
        }
        return super.cancelWrite(cause);
    }

    @Override
    protected void onIdleExpired(TimeoutException timeout) {
        NioTransfer current = transfer;
        if (IdleTimeouts.isUnread(this) || (current != null && (current.isQueued() || current.isSending()))) {
            LOG.debug("Not idle, but waiting for this server: {}", this);
        } else if (current != null && current.isWaiting() && httpParser() == null) {
            // A protocol of a user's own sends a file, for HTTP/2 has no transfers. It ends as a stalled one.
            connector.runElsewhere(() -> close(timeout));
        } else {
            expire(timeout, connector);
        }
    }

    @Override
    public void doClose() {
        LingeringClose.Lingering taken = takeToLinger(connector.lingeringClose);
        if (taken != null) {
            // The selector is woken after this, as after a close, and lets go of the channel.
            key.cancel();
            taken.begin(false);
        } else {
            super.doClose();
        }
        cancelTransfer();
    }

    private @Nullable NioTransfer cancelTransfer() {
        NioTransfer current = transfer;
        if (current != null) {
            current.cancel();
        }
        return current;
    }

    @Override
    public void onClose(Throwable failure) {
        recordEnd(connector, failure);
        super.onClose(failure);
    }

    @Override
    public boolean flush(ByteBuffer... buffers) throws IOException {
        if (isOutputShutdown()) {
            throw new EofException(new ClosedChannelException());
        }
        // The connection inside TLS is not asked: this thread holds a lock for which the handling thread may wait.
        beginWrite(getConnection());
        NioTransfer current = transfer;
        int token = current == null ? -1 : current.region().indexIn(buffers);
        boolean flushed;
        if (current != null) {
            current.setSending(true);
        }
        try {
            flushed = (current == null || token < 0)
                    ? write(buffers, 0, buffers.length)
                    : current.writeHeader(buffers, token, requestLoop)
                            && current.send(requestLoop)
                            && write(buffers, token + 1, buffers.length)
                            && !current.endsElsewhere();
        } catch (FileFailedException x) {
            tellFailure(x);
            throw new EofException(x);
        } finally {
            if (current != null) {
                current.setSending(false);
            }
        }
        if (flushed) {
            endWait();
            // What is copied goes on for as long as the peer takes all: should that be long, another thread selects.
            if (token < 0 && (int) getSentBytes() - longTaskBytes >= 0) {
                longTaskBytes = (int) getSentBytes() + NioTransfer.LEAVES_SELECTOR_BYTES;
                selectorExecutor.aboutToBlock();
            }
        }
        return flushed;
    }

    @Override
    public boolean isWritePending() {
        NioTransfer current = transfer;
        boolean pending = getWriteFlusher().isPending();
        return current == null ? pending : current.isWaiting() || (pending && !current.isQueued());
    }

    @Override
    public void announce(FileRegion region) {
        NioTransfer replaced = transfer;
        if (replaced != null) {
            replaced.region().withdrawn();
        }
        transfer = new NioTransfer(
                this,
                region,
                connector.announced(region).newPolicy(),
                connector.getTransferWorkers(),
                selectorExecutor,
                connector.pool());
    }

    @Override
    public void withdraw(FileRegion region) {
        NioTransfer withdrawn = transfer;
        if (withdrawn != null && withdrawn.region() == region) {
            transfer = null;
            region.withdrawn();
        }
    }

    @Override
    public TransferStatistics getTransferStatistics() {
        return connector.getTransferStatistics();
    }
}
