package dev.millrace.connector;

import dev.millrace.connector.LingeringClose.Lingering;
import dev.millrace.jetty.JettyInternals;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferStatistics;
import dev.millrace.transfer.TransferWorkers;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An end point over a channel that blocks as long as HTTP/1.1 is spoken. {@link #fill} never waits. {@link #flush} waits on a thread
 * that has the connection to itself, until the peer has taken everything or the connection is closed. For any other thread it leaves
 * to one of the connector's what the socket does not take at once.
 *
 * <p>Any other protocol, be it HTTP/2 or WebSocket, needs a reader that no write holds up. When such a protocol first
 * reads or writes, the channel goes to a selector, for good, and blocks no longer ({@link SelectedChannel}).
 *
 * <p>Owns the channel, until it is closed or left to {@link CloseAlert} or {@link LingeringClose}.
 */
final class BioEndPoint extends MillraceEndPoint implements ReadLoop.Owner, WriteDuty.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(BioEndPoint.class);

    private final BioConnector connector;
    private final SocketAddress local;
    private final SocketAddress remote;
    private final ReadLoop readLoop;
    final WriteDuty writeDuty;
    private final BlockingWrite blockingWrite;
    private volatile @Nullable CloseAlert closeAlert;
    // Null while the channel blocks.
    private volatile @Nullable SelectedChannel selected;

    BioEndPoint(BioConnector connector, SocketChannel channel) throws IOException {
        // No selector is given, though one may watch the channel later. Jetty's listeners know a socket by this class.
        super(channel, null, null, connector.getScheduler(), connector.newContentWriter());
        this.connector = connector;
        BioResources resources = connector.resources;
        this.local = channel.getLocalAddress();
        this.remote = channel.getRemoteAddress();
        CarrierTurn carrier = resources.threads().isVirtual() ? new CarrierTurn() : null;
        this.readLoop = new ReadLoop(this, resources, carrier);
        this.writeDuty = new WriteDuty(this, resources);
        this.blockingWrite = new BlockingWrite(this, resources, writeDuty, carrier);
        setIdleTimeout(connector.getIdleTimeout());
    }

    /** Opens the connection, on its first thread; returns its life on that thread, null if it has none. */
    @Nullable Runnable open(Connection connection) {
        setConnection(connection);
        onOpen();
        return readLoop.begin(() -> connector.opened(this));
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return local;
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return remote;
    }

    /** The channel with the selector that watches it: from now on, if the protocol wants it; null while it blocks. */
    private @Nullable SelectedChannel selected() {
        SelectedChannel current = selected;
        return current != null || !JettyInternals.isOtherProtocol(spoken()) ? current : select();
    }

    // A thread that waits for the peer could not be made to return: then the channel stays as it is.
    private synchronized @Nullable SelectedChannel select() {
        if (selected == null && isOpen() && !writeDuty.isWriting() && readLoop.leave()) {
            try {
                selected = SelectedChannel.register(this, connector.selector());
            } catch (IOException x) {
                close(x);
            }
        }
        return selected;
    }

    @Override
    public int fill(ByteBuffer buffer) {
        if (isInputShutdown()) {
            return endOfInput(getConnection());
        }
        if (selected != null) {
            int drained = readLoop.drain(buffer);
            return drained > 0 || readLoop.isCurrentThread() ? drained : read(buffer);
        }
        int filled = -1;
        try {
            filled = isBehindMalformed() ? 0 : readLoop.fill(buffer);
        } catch (IOException x) {
            LOG.debug("Cannot fill from {}: {}", this, x.toString());
        }
        if (filled > 0) {
            unreadExpiries = 0;
            notIdle();
        } else if (filled < 0) {
            TlsState.endInput(this, connector, this::shutdownInput);
        }
        return filled;
    }

    @Override
    protected void needsFillInterest() {
        if (JettyInternals.answersMalformedRequest(getConnection())) {
            return;
        }
        try {
            SelectedChannel current = selected();
            if (current == null) {
                readLoop.onInterest(isReturning());
            } else if (readLoop.hasReadAhead()) {
                TransferWorkers.execute(connector.pool(), getFillInterest()::fillable);
            } else {
                super.needsFillInterest();
                current.onInterest();
            }
        } catch (IOException | RejectedExecutionException | OutOfMemoryError x) {
            getFillInterest().onFail(x);
        }
    }

    /**
     * Whether the current thread is the connection's own, and about to return from its code: it is alone, and asks for the next request.
     * Any other may go on to wait for what it asked for; so may a write of TLS that needs the peer's bytes.
     */
    boolean isReturning() {
        return readLoop.isAlone(httpParser()) && !isTlsWriting();
    }

    /** Has the current thread, which {@link #isReturning}, run a task after that. */
    void runNext(Runnable task) {
        readLoop.runNext(task);
    }

    @Override
    public @Nullable Runnable onSelected() {
        if (selected != null) {
            selected.onSelected();
        }
        return ContinuedTask.of(this, super.onSelected());
    }

    @Override
    public void updateKey() {
        if (selected != null) {
            selected.onUpdateKey();
        }
        super.updateKey();
    }

    @Override
    public boolean flush(ByteBuffer... buffers) throws IOException {
        // A channel throws for a write of nothing too. By such a write TLS asks whether it may go on.
        if (isOutputShutdown()) {
            throw new EofException(new ClosedChannelException());
        }
        if (selected() != null) {
            return flushSelected(buffers);
        }
        if (GatherWriter.skipEmpty(buffers, 0, buffers.length) == buffers.length) {
            return true;
        }
        boolean inTls = getConnection() instanceof SslConnection;
        beginWrite(spoken());
        boolean inBackground = writeDuty.takeBackgroundWrite(inTls ? getOutermostWriteFlusher() : null);
        boolean isOfAnother = inTls && TlsState.isWriteOfAnother(this, writeDuty.isWriting());
        if (!inBackground && (isOfAnother || !readLoop.isAlone(httpParser()))) {
            return flushAtOnce(buffers);
        }
        // TLS that ends gives its buffer back, while a thread may write from it: another connection may have it then.
        boolean inViews = inBackground && inTls;
        ByteBuffer[] written = inViews ? GatherWriter.viewsOf(buffers) : buffers;
        BlockedWriteEvent event = blockingWrite.begin();
        try {
            // Most writes are no transfers, and go by one call less (CallDepthTest).
            if (blockingWrite.isTransfer()) {
                blockingWrite.write(written);
            } else {
                blockingWrite.write(written, 0, written.length, written.length);
            }
        } catch (IOException x) {
            tellFailure(x);
            // A flusher that has failed knows the reason, and adds this to it: so this is another exception.
            throw new EofException(x);
        } finally {
            blockingWrite.end(event);
        }
        if (inViews) {
            blockingWrite.skip(buffers);
        }
        return true;
    }

    private boolean flushSelected(ByteBuffer... buffers) throws EofException {
        boolean flushed = write(buffers, 0, buffers.length);
        if (flushed) {
            endWait();
            readLoop.onWritten();
        }
        return flushed;
    }

    // Nearly always complete when the call returns, as behind a selector. Jetty's error pages of servlets rely on that.
    private boolean flushAtOnce(ByteBuffer... buffers) throws IOException {
        if (TlsState.endsOutput(this, writeDuty)) {
            closeAlert = CloseAlert.send(closeAlert, getChannel(), connector.resources, buffers);
            return closeAlert != null;
        }
        if (blockingWrite.isTransfer() || TlsState.isWriteOfAnother(this, writeDuty.isWriting()) || !readLoop.pause()) {
            return false;
        }
        try {
            return blockingWrite.writeAtOnce(buffers);
        } finally {
            readLoop.resume();
        }
    }

    @Override
    protected void onIncompleteFlush() {
        if (selected == null) {
            writeDuty.completeElsewhere();
        } else {
            beginWait();
            super.onIncompleteFlush();
            selected.onInterest();
        }
    }

    @Override
    public @Nullable Callback cancelWrite(Throwable cause) {
        return blockingWrite.cancel(cause);
    }

    @Override
    public boolean isBlocking() {
        return selected == null;
    }

    @Override
    protected void onIdleExpired(TimeoutException timeout) {
        // Slices follow the peer's pace, and each counts as activity: the peer of a write that is still there takes
        // next to nothing.
        boolean isWriting = writeDuty.isWriting();
        if (IdleTimeouts.isUnread(this)
                || blockingWrite.isQueued()
                || (!isWriting && IdleTimeouts.isReadByHandler(this))) {
            LOG.debug("Not idle, but waiting for this server: {}", this);
        } else if (isWriting) {
            connector.runElsewhere(IdleTimeouts.unlessMoved(this, writeDuty::isWriting, () -> end(timeout)));
        } else if (IdleTimeouts.mayClose(this)) {
            Runnable end = () -> expire(timeout, connector);
            connector.runElsewhere(IdleTimeouts.unlessMoved(this, () -> IdleTimeouts.mayClose(this), end));
        } else {
            expire(timeout, connector);
        }
    }

    @Override
    void endOutput() {
        CloseAlert alert = closeAlert;
        if (alert == null || !alert.isFollowedBy(super::endOutput)) {
            super.endOutput();
        }
    }

    @Override
    @Nullable Thread handlingThread() {
        return readLoop.handlingThread();
    }

    @Override
    boolean hasPeerEnded() {
        return super.hasPeerEnded() || readLoop.hasEnded();
    }

    @Override
    public void doClose() {
        if (!writeDuty.isWriting()) {
            takeToLinger(connector.lingeringClose);
        }
        CloseAlert alert = closeAlert;
        if (alert == null
                || !alert.isFollowedByClose(
                        this::closeChannel, connector.getScheduler(), connector.getShutdownIdleTimeout())) {
            closeChannel();
        }
    }

    private void closeChannel() {
        if (!CloseAlert.isUnderWay(closeAlert) && lingerIfClosed()) {
            return;
        }
        // The end comes before a reset, as the JDK has it where there is a selector. On JDK 17 close() also leaves a
        // thread inside sendfile where it is, and shutdownOutput() wakes it.
        if (writeDuty.isWriting() || !hasPeerEnded()) {
            super.endOutput();
        }
        super.doClose();
        if (writeDuty.isWriting()) {
            blockingWrite.endWait();
        }
        if (selected != null) {
            selected.wakeUp();
        }
    }

    // Up to three threads use the channel: one closes, one reads, one writes the close alert. The last has it linger.
    @Override
    public boolean lingerIfClosed() {
        Lingering taken = lingering;
        if (taken != null && !CloseAlert.isUnderWay(closeAlert)) {
            if (selected != null) {
                selected.leave();
            }
            taken.begin(readLoop.isWaiting());
        }
        return taken != null;
    }

    @Override
    public void onClose(@Nullable Throwable failure) {
        Thread writer = writeDuty.failingWriter(getOutermostWriteFlusher());
        boolean mayWait = selected != null || writer != null || connector.isStopping() || OrderlyEnd.mayCompute(this);
        try {
            super.onClose(failure);
        } finally {
            recordEnd(connector, failure);
            Runnable end = () -> tellEnd(failure, opened -> connector.ended(this, failure, opened));
            if (mayWait) {
                // The application hears of it and may block, as may TLS: the selector, a timeout or a stop must not.
                connector.runClosing(WriteDuty.whenHasLeft(writer, end));
            } else {
                end.run();
            }
        }
    }

    @Override
    public int getBytesInCall() {
        return selected == null ? blockingWrite.bytesInCall() : 0;
    }

    // Jetty has the pool serve a request behind a header of the PROXY protocol, or one that lies there when another
    // thread has answered.
    @Override
    public boolean isServedByPool() {
        return readLoop.handlingThread() == null;
    }

    @Override
    public boolean isWritePending() {
        return !blockingWrite.isQueued()
                && (writeDuty.isWriting() || getWriteFlusher().isPending());
    }

    @Override
    public boolean isWriteGivenUp() {
        return writeDuty.isWriting() && TlsState.hasGivenUpWrite(getConnection());
    }

    @Override
    public void announce(FileRegion region) {
        connector.announced(region);
        blockingWrite.announce(region);
    }

    @Override
    public void withdraw(FileRegion region) {
        blockingWrite.withdraw(region);
    }

    /** Reads what TLS encrypts next, as {@link FileRegion#read}; by another thread if this one must not wait for the disk. */
    int read(FileRegion region, ByteBuffer target) throws IOException {
        return selected == null ? blockingWrite.read(region, target) : region.read(target);
    }

    @Override
    public TransferStatistics getTransferStatistics() {
        return connector.getTransferStatistics();
    }
}
