package dev.millrace.connector;

import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.OverwrittenFileException;
import dev.millrace.transfer.Transfer;
import dev.millrace.transfer.TransferStatistics;
import dev.millrace.transfer.TruncatedFileException;
import dev.millrace.transfer.UnreadableFileException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An end point over a blocking channel. {@link #fill} never waits. {@link #flush} waits on a thread that has the connection
 * to itself, until the peer has taken everything or the connection is closed (a socket has no write timeout but being
 * closed); for any other it leaves the write to a thread of its own.
 *
 * <p>Owns the channel: it is closed with the end point, or when the close alert of TLS that is under way has left.
 */
final class BioEndPoint extends SocketChannelEndPoint implements WatchedEndPoint {
    private static final Logger LOG = LoggerFactory.getLogger(BioEndPoint.class);

    private final BioConnector connector;
    private final SocketAddress local;
    private final SocketAddress remote;
    private final ReadTurns reads;
    private final BlockingWrite writes;
    private final WriterTurns turns;
    private final PeerPace pace = new PeerPace();
    private final ConnectionEvent life;
    private volatile Transfer announced;
    private final Opening opening = new Opening();
    private volatile boolean writing;
    private volatile boolean cancelled;
    private volatile CloseAlert closeAlert;
    private volatile boolean ended;

    BioEndPoint(BioConnector connector, SocketChannel channel) throws IOException {
        // No selector: its code comes to nothing. Jetty's listeners know a socket by this class.
        super(channel, null, null, connector.getScheduler());
        this.connector = connector;
        this.life = ConnectionEvent.begun(channel);
        this.local = channel.getLocalAddress();
        this.remote = channel.getRemoteAddress();
        this.reads = new ReadTurns(this, connector);
        this.writes = new BlockingWrite(this, connector);
        this.turns = new WriterTurns(this, connector);
        setIdleTimeout(connector.getIdleTimeout());
    }

    /** The connection's life, on one thread. */
    Runnable life() {
        return reads.life();
    }

    void opened() {
        connector.opened(this);
    }

    /** The thread in the connection's code, or null. */
    Thread handlingThread() {
        return reads.handlingThread();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return local;
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return remote;
    }

    @Override
    public int fill(ByteBuffer buffer) {
        if (isInputShutdown()) {
            return -1;
        }
        int filled;
        try {
            filled = reads.fill(buffer);
        } catch (IOException x) {
            LOG.debug("Cannot fill from {}: {}", this, x.toString());
            filled = -1;
        }
        if (filled > 0) {
            notIdle();
        } else if (filled < 0) {
            endInput();
        }
        return filled;
    }

    // When its output has ended too, that is the end of the connection, and takes TLS the buffer away that it is about to look at:
    // another thread waits for TLS's lock, until this one has returned.
    private void endInput() {
        if (getConnection() instanceof SslConnection && isOutputShutdown()) {
            try {
                connector.getConnectionThreads().execute(this::shutdownInput);
                return;
            } catch (RejectedExecutionException | OutOfMemoryError x) {
                LOG.debug("No thread to end {}: {}", this, x.toString());
            }
        }
        shutdownInput();
    }

    @Override
    protected void needsFillInterest() {
        if (answersMalformed()) {
            return;
        }
        try {
            // The thread that has the connection to itself asks for the next request, and then returns to its loop.
            // Anybody else may go on to wait for what he asked for; so may a write of TLS that needs the peer's bytes.
            reads.onInterest(hasConnectionToItself() && !writesTls());
        } catch (IOException x) {
            getFillInterest().onFail(x);
        }
    }

    /**
     * Whether the current thread runs an HTTP/1.1 connection that has no request content left to read: then nobody waits
     * for anything on this connection but this thread itself, and it may block. Any other writer (of HTTP/2, of WebSocket,
     * of an asynchronous request) may be needed to read on, or hold what the reader needs, and a peer that blocks in a
     * write of its own would wait for ever.
     */
    private boolean hasConnectionToItself() {
        if (reads.handlingThread() != Thread.currentThread()) {
            return false;
        }
        HttpConnection http = http();
        return http != null && !PeerPace.hasContentLeft(http.getParser());
    }

    @Override
    public boolean flush(ByteBuffer... buffers) throws IOException {
        // As a channel's write, also of nothing: TLS writes nothing to hear whether it may go on.
        if (isOutputShutdown()) {
            throw new EofException(new ClosedChannelException());
        }
        if (BufferUtil.remaining(buffers) == 0) {
            return true;
        }
        reads.awaitReaderOfMalformed();
        if (turns.takesTurn()) {
            return getConnection() instanceof SslConnection ? writeViews(buffers) : write(buffers);
        }
        if (isTurnOfAnother() || !hasConnectionToItself()) {
            return endsTls() && sendCloseAlert(buffers);
        }
        return write(buffers);
    }

    // TLS flushes past its flusher what it left to that: from this thread too, the peer would get a record twice.
    private boolean isTurnOfAnother() {
        return getConnection() instanceof SslConnection && (writing || "PC".contains(getWriteFlusher().toStateString()));
    }

    // Once its output is done, TLS has nothing but the alert left; all before it has been written.
    private boolean endsTls() {
        return getConnection() instanceof SslConnection ssl && ssl.getSSLEngine().isOutboundDone();
    }

    private boolean sendCloseAlert(ByteBuffer... buffers) {
        closeAlert = CloseAlert.send(getChannel(), connector, buffers);
        return closeAlert != null;
    }

    // TLS that ends gives its buffer back to the pool, whoever writes from it: it may be another connection's by the time
    // at which this thread comes out of its call, and must not be touched.
    private boolean writeViews(ByteBuffer... buffers) throws IOException {
        ByteBuffer[] views = new ByteBuffer[buffers.length];
        for (int i = 0; i < views.length; i++) {
            views[i] = buffers[i].duplicate();
        }
        write(views);
        if (isOutputShutdown()) {
            throw new EofException("connection was closed");
        }
        for (ByteBuffer buffer : buffers) {
            buffer.position(buffer.limit());
        }
        return true;
    }

    private boolean write(ByteBuffer... buffers) throws IOException {
        writing = true;
        // Whoever closes the connection sees that this thread writes, or this thread sees that it is closed.
        if (cancelled || isOutputShutdown()) {
            writing = false;
            throw new EofException(cancelled ? "write was cancelled" : "connection was closed");
        }
        // Meant for the application, as on a selector connector; here it would close the channel.
        boolean interrupted = Thread.interrupted();
        connector.getConnectorStatistics().onWriteBegin();
        BlockedWriteEvent event = BlockedWriteEvent.begun();
        try {
            Transfer transfer = announced;
            if (transfer == null) {
                writes.write(buffers, 0, buffers.length);
            } else {
                writes.write(buffers, transfer);
            }
            return true;
        } catch (TruncatedFileException x) {
            getTransferStatistics().onTruncated();
            LOG.warn("Aborting {}: {}", this, x.getMessage());
            throw new EofException(x);
        } catch (OverwrittenFileException | UnreadableFileException x) {
            LOG.warn("Aborting {}: {}", this, x.getMessage());
            throw new EofException(x);
        } catch (IOException x) {
            // A flusher that has failed knows the reason, and adds this to it: the reason must not be the cause of this.
            throw new EofException(x);
        } finally {
            connector.getConnectorStatistics().onWriteEnd();
            writing = false;
            event.ended(this);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    protected void onIncompleteFlush() {
        turns.begin();
    }

    @Override
    public Callback cancelWrite(Throwable cause) {
        // WriteFlusher waits in a busy loop for the thread in flush() to come out: make it come out, or not go in.
        cancelled = true;
        if (writing) {
            close(cause);
        }
        return super.cancelWrite(cause);
    }

    @Override
    protected void onIdleExpired(TimeoutException timeout) {
        // Slices follow the peer's pace, and each counts as activity: a write that is still there has a peer that takes
        // next to nothing.
        if (writes.isQueued()) {
            LOG.debug("Not idle, but waiting for its turn: {}", this);
        } else if (writing) {
            connector.runElsewhere(() -> IdleEnd.failWrite(this, timeout));
        } else if (IdleEnd.mayClose(this)) {
            connector.runElsewhere(() -> super.onIdleExpired(timeout));
        } else {
            super.onIdleExpired(timeout);
        }
    }

    // The channel alone may be open for a moment longer.
    @Override
    public boolean isOpen() {
        return super.isOpen() && !(isInputShutdown() && isOutputShutdown());
    }

    @Override
    protected void doShutdownOutput() {
        CloseAlert alert = closeAlert;
        if (alert == null || !alert.isFollowedBy(super::doShutdownOutput)) {
            super.doShutdownOutput();
        }
    }

    @Override
    public void doClose() {
        CloseAlert alert = closeAlert;
        if (alert == null || !alert.isFollowedByClose(this::closeChannel)) {
            closeChannel();
        }
    }

    private void closeChannel() {
        // JDK 17: close() leaves a thread inside sendfile where it is; shutdownOutput() wakes it.
        if (writing) {
            super.doShutdownOutput();
        }
        super.doClose();
        if (writing) {
            writes.cancel();
        }
    }

    @Override
    public void onClose(Throwable failure) {
        try {
            super.onClose(failure);
        } finally {
            life.closed(connector, this, failure);
            opening.end(failure, opened -> connector.ended(this, failure, opened));
        }
    }

    @Override
    public long getSentBytes() {
        return writes.sentBytes();
    }

    @Override
    public int getBytesInCall() {
        return writes.bytesInCall();
    }

    @Override
    public boolean awaitsRead() {
        return isFillInterested() && reads.isPeerAwaited();
    }

    @Override
    public boolean isWritePending() {
        return !writes.isQueued() && (writing || getWriteFlusher().isPending());
    }

    // TLS gives a write up without a word to the end point below: it spins, or waits for the lock that its writer holds.
    @Override
    public boolean isWriteGivenUp() {
        if (!writing || !(getConnection() instanceof SslConnection ssl)) {
            return false;
        }
        // It tells of its state in no other way; L is a write that is being cancelled.
        String state = ssl.getSslEndPoint().toEndPointString();
        return state.contains(",CLOSED,") || state.contains(",flush=L,");
    }

    @Override
    public PeerPace getPace() {
        return pace;
    }

    @Override
    public void announce(FileRegion region) {
        announced = new Transfer(region, connector.transferAlgorithm(), getTransferStatistics());
    }

    @Override
    public void withdraw() {
        Transfer withdrawn = announced;
        announced = null;
        if (withdrawn != null) {
            withdrawn.end();
        }
    }

    @Override
    public TransferStatistics getTransferStatistics() {
        return connector.getTransferStatistics();
    }

    /** Opens the connection that the connector made for this end point. */
    void open(Connection connection) {
        setConnection(connection);
        onOpen();
    }

    /** Notes that this end point is about to leave the set of those that are connected. */
    void setEnded() {
        ended = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /**
     * Fails what the connection wrote when it heard of its end (GOAWAY, RFC 9113 section 6.8). SslConnection lets it wait for
     * what TLS itself has written last, whose failure it tells nobody: the frame's buffer would never be released.
     */
    void failLastWord() {
        if (http() == null && getConnection() instanceof SslConnection ssl) {
            ssl.getSslEndPoint().getWriteFlusher().onClose();
        }
    }

    /** Runs what tells of the opening, unless this end point is closed already; its end is told of after that. */
    void begin(Runnable telling) {
        opening.tell(telling, cause -> connector.ended(this, cause, true));
    }
}
