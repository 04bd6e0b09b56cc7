package dev.millrace.connector;

import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.OverwrittenFileException;
import dev.millrace.transfer.Transfer;
import dev.millrace.transfer.TransferStatistics;
import dev.millrace.transfer.TruncatedFileException;
import dev.millrace.transfer.UnreadableFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jetty's end point over a selectable channel, which sends an announced file region by the kernel, and places the tasks
 * of a ready connection as the connector's dispatch says.
 */
final class NioEndPoint extends SocketChannelEndPoint implements WatchedEndPoint {
    private static final Logger LOG = LoggerFactory.getLogger(NioEndPoint.class);

    private final Dispatch dispatch;
    private final SelectorDuty duty;
    private final ContentWriter contentWriter;
    private final LongAdder writtenBytes;
    private final PeerPace pace = new PeerPace();
    private final ConnectionEvent life;
    private final NioConnector connector;
    private volatile NioTransfer transfer;
    private long sentBytes;
    // Of the thread that flushes; WriteFlusher lets only one flush at a time.
    private BlockedWriteEvent waiting;
    // Of the selector's thread. Jetty has three tasks per end point, and repeats them.
    private Runnable task;
    private Runnable placedTask;
    // Of the thread that selects.
    private boolean goesOn;
    private volatile RequestTurn turn;
    private volatile SelectionKey key;
    private boolean opened;
    private boolean closed;
    private volatile boolean ended;

    NioEndPoint(NioConnector connector, SocketChannel channel, ManagedSelector selector, SelectionKey key,
            Dispatch dispatch) throws IOException {
        super(channel, selector, key, connector.getScheduler());
        this.connector = connector;
        this.key = key;
        this.life = ConnectionEvent.begun(channel);
        this.dispatch = dispatch;
        this.duty = SelectorDuty.of(selector);
        ContentWriter.Factory writers = connector.contentWriters();
        this.contentWriter = writers.newContentWriter(connector.getByteBufferPool());
        this.writtenBytes = WriteStrategy.writtenBytes(writers, connector.getTransferStatistics());
    }

    @Override
    public Runnable onSelected() {
        NioTransfer current = transfer;
        if (current != null && current.isParked()) {
            return onSelected(current);
        }
        Runnable selected = super.onSelected();
        if (selected == null) {
            return null;
        }
        boolean here = isHere(selected);
        duty.place(here);
        if (selected != task) {
            task = selected;
            turn = new RequestTurn(this, selected);
            placedTask = dispatch.place(turn, this::isGoingOn);
        }
        turn.setInSelector(here);
        if (dispatch == Dispatch.HANDOFF) {
            goesOn = !key.isReadable() || !mayBeginRequest();
        }
        return placedTask;
    }

    // The selector's own thread, looked after by SelectorDuty. A handler that says it does not block may wait for a disk all the same, or take
    // long; where a thread waits to be told that it may go on, nothing must be left to a pool whose threads may all be waiting so.
    private boolean isHere(Runnable selected) {
        return dispatch == Dispatch.SELECTOR || dispatch == Dispatch.ADAPTIVE && key.isReadable()
                && Invocable.getInvocationType(selected) == Invocable.InvocationType.NON_BLOCKING && mayBeginRequest();
    }

    // The selector's thread waits for no disk: a write with a region that is not in memory goes on in a worker.
    private Runnable onSelected(NioTransfer parked) {
        boolean readable = key.isReadable();
        boolean writable = key.isWritable();
        Runnable selected = super.onSelected();
        duty.place(dispatch == Dispatch.SELECTOR);
        if (!writable) {
            return selected == null ? null : goOn(selected);
        }
        if (parked.onWritable(readable)) {
            return goOn(parked);
        }
        return readable ? goOn(new FillTask(this)) : null;
    }

    // Who sends a file has a request already, and all threads of the pool may be waiting so.
    private Runnable goOn(Runnable selected) {
        return dispatch.place(selected, () -> true);
    }

    private boolean isGoingOn() {
        return goesOn;
    }

    // Nor does HTTP/2: its connection reads frames, and has the requests in them handled elsewhere.
    private boolean mayBeginRequest() {
        HttpConnection http = http();
        return http == null ? PeerPace.isPreliminary(getConnection()) : !http.getParser().inContentState();
    }

    @Override
    public boolean awaitsRead() {
        try {
            // Interest ends when the selector finds the connection ready: who has not run since then waits for a thread, not for the peer.
            return isFillInterested() && (key.interestOps() & SelectionKey.OP_READ) != 0;
        } catch (CancelledKeyException closed) {
            return false;
        }
    }

    @Override
    public void replaceKey(SelectionKey newKey) {
        key = newKey;
        super.replaceKey(newKey);
    }

    /** @return whether listeners are to be told of the connection's opening: not when it has been closed before */
    synchronized boolean beginsToTell() {
        opened = !closed;
        return opened;
    }

    /** @return whether listeners are to be told of the connection's end: not when they know nothing of it */
    synchronized boolean endsToTell() {
        closed = true;
        return opened;
    }

    /** Notes that this end point is about to leave the set of those that are connected. */
    void setEnded() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Called by whoever may be about to wait: for a peer, or for the disk. */
    void mayWait() {
        duty.mayWait();
    }

    /** Called by whoever is about to take long, though not to wait: whether he does not keep a selector waiting, or no longer. */
    boolean leavesSelector() {
        return turn != null && turn.leavesSelector(duty);
    }

    @Override
    public int fill(ByteBuffer buffer) throws IOException {
        RequestTurn current = turn;
        if (current == null) {
            return super.fill(buffer);
        }
        if (current.hasLookedInVain()) {
            return 0;
        }
        int filled = super.fill(buffer);
        if (current.onFilled(filled)) {
            connector.getSelectorStatistics().onRequestInTurn();
        }
        return filled;
    }

    @Override
    protected void needsFillInterest() {
        if (answersMalformed() || goesOn()) {
            return;
        }
        super.needsFillInterest();
        // Whoever asks for content may go on to wait for it; whoever asks for the next request returns to the selector.
        HttpConnection http = dispatch == Dispatch.SELECTOR ? http() : null;
        if (http != null && (http.getParser().inContentState() || writesTls())) {
            duty.mayWait();
        }
    }

    // Only where nothing is left to do but to wait for a request. TLS may ask in the middle of a write, and then wait.
    private boolean goesOn() {
        RequestTurn current = turn;
        return current != null && getConnection() instanceof HttpConnection http && awaitsRequest(http.getParser())
                && current.goesOn(connector.getRequestsPerTurn(), connector.getExecutor());
    }

    // Not at the end of a connection either: who looks in vain then closes it, before the peer has read the answer.
    private static boolean awaitsRequest(HttpParser parser) {
        return parser.getState().compareTo(HttpParser.State.CONTENT) < 0;
    }

    @Override
    protected void onIncompleteFlush() {
        if (!duty.mayWait() && dispatch == Dispatch.SELECTOR) {
            // A handler may write to any connection.
            connector.mayWait();
        }
        NioTransfer current = transfer;
        if (current != null && current.goOn()) {
            return;
        }
        if (waiting == null) {
            waiting = BlockedWriteEvent.begun();
        }
        super.onIncompleteFlush();
    }

    @Override
    public Callback cancelWrite(Throwable cause) {
        // WriteFlusher waits in a busy loop for the thread in flush() to come out.
        if (transfer != null) {
            transfer.cancel();
        }
        return super.cancelWrite(cause);
    }

    @Override
    protected void onIdleExpired(TimeoutException timeout) {
        NioTransfer current = transfer;
        if (current != null && current.isQueued()) {
            LOG.debug("Not idle, but waiting for a worker: {}", this);
        } else if (current != null && current.isWaiting() && http() == null) {
            connector.runElsewhere(() -> close(timeout));
        } else {
            boolean isStalled = getWriteFlusher().isPending() && http() == null;
            super.onIdleExpired(timeout);
            if (isStalled) {
                // HTTP/2 keeps its connection and writes that it will end; but this peer takes nothing.
                connector.runElsewhere(() -> close(timeout));
            }
        }
    }

    @Override
    public void doClose() {
        super.doClose();
        if (transfer != null) {
            transfer.cancel();
        }
    }

    @Override
    public void onClose(Throwable failure) {
        life.closed(connector, this, failure);
        super.onClose(failure);
    }

    @Override
    public boolean flush(ByteBuffer... buffers) throws IOException {
        if (isOutputShutdown()) {
            throw new EofException(new ClosedChannelException());
        }
        boolean flushed = send(buffers);
        if (flushed && waiting != null) {
            waiting.ended(this);
            waiting = null;
        }
        return flushed;
    }

    private boolean send(ByteBuffer... buffers) throws IOException {
        NioTransfer current = transfer;
        FileRegion region = current == null ? null : current.region();
        int token = region == null ? -1 : region.indexIn(buffers);
        if (token < 0) {
            return write(buffers, 0, buffers.length);
        }
        try {
            return writeBefore(buffers, token, current)
                    && current.send()
                    && write(buffers, token + 1, buffers.length)
                    && !current.endsElsewhere();
        } catch (TruncatedFileException x) {
            getTransferStatistics().onTruncated();
            LOG.warn("Aborting {}: {}", this, x.getMessage());
            throw new EofException(x);
        } catch (OverwrittenFileException | UnreadableFileException x) {
            LOG.warn("Aborting {}: {}", this, x.getMessage());
            throw new EofException(x);
        }
    }

    // Where the socket does not take all of the token, the transfer goes on, and finds it full.
    private boolean writeBefore(ByteBuffer[] buffers, int token, NioTransfer current) throws IOException {
        if (!current.beginsWith(buffers, token)) {
            return write(buffers, 0, token);
        }
        return write(buffers, 0, token + 1) || skipEmpty(buffers, 0, token) == token;
    }

    private boolean write(ByteBuffer[] buffers, int from, int to) throws IOException {
        int first = skipEmpty(buffers, from, to);
        if (first == to) {
            return true;
        }
        try {
            long written = contentWriter.write(getChannel(), buffers, first, to);
            if (written > 0) {
                writtenBytes.add(written);
                onSent(written);
            }
        } catch (IOException x) {
            throw new EofException(x);
        }
        return skipEmpty(buffers, first, to) == to;
    }

    private static int skipEmpty(ByteBuffer[] buffers, int from, int to) {
        int first = from;
        while (first < to && !buffers[first].hasRemaining()) {
            first++;
        }
        return first;
    }

    // The idle timer's volatile write makes the plain one before it visible: see PeerPace.
    void onSent(long bytes) {
        sentBytes += bytes;
        notIdle();
    }

    @Override
    public long getSentBytes() {
        return sentBytes;
    }

    @Override
    public boolean isWritePending() {
        NioTransfer current = transfer;
        if (current == null) {
            return getWriteFlusher().isPending();
        }
        return current.isWaiting() || getWriteFlusher().isPending() && !current.isQueued();
    }

    @Override
    public PeerPace getPace() {
        return pace;
    }

    @Override
    public void announce(FileRegion region) {
        if (transfer == null) {
            transfer = new NioTransfer(this, connector.getTransferWorkers(), connector.getExecutor());
        }
        transfer.announce(new Transfer(region, connector.transferAlgorithm(), getTransferStatistics()));
    }

    @Override
    public void withdraw() {
        if (transfer != null) {
            transfer.withdraw();
        }
    }

    @Override
    public TransferStatistics getTransferStatistics() {
        return connector.getTransferStatistics();
    }
}
