package dev.millrace.connector;

import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferStatistics;
import dev.millrace.transfer.TruncatedFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jetty's end point over a selectable channel, which sends an announced file region by the kernel, and places the tasks
 * of a ready connection as the connector's dispatch says.
 */
final class NioEndPoint extends SocketChannelEndPoint implements WatchedEndPoint {
    private static final Logger LOG = LoggerFactory.getLogger(NioEndPoint.class);
    /** What one connection sends before the others have their turn. */
    private static final int TURN_BYTES = 2 * 1024 * 1024;

    private final Dispatch dispatch;
    private final TransferStatistics statistics;
    private final ContentWriter contentWriter;
    private final PeerPace pace = new PeerPace();
    private final ConnectionEvent life;
    private final NioConnector connector;
    private volatile FileRegion announced;
    private long sentBytes;
    // Of the thread that flushes; WriteFlusher lets only one flush at a time.
    private boolean turnOver;
    private BlockedWriteEvent waiting;
    // Of the selector's thread. Jetty has three tasks per end point, and repeats them.
    private Runnable task;
    private Runnable placedTask;

    NioEndPoint(NioConnector connector, SocketChannel channel, ManagedSelector selector, SelectionKey key,
            Dispatch dispatch) throws IOException {
        super(channel, selector, key, connector.getScheduler());
        this.connector = connector;
        this.life = ConnectionEvent.begun(channel);
        this.dispatch = dispatch;
        this.statistics = connector.getTransferStatistics();
        this.contentWriter = connector.newContentWriter();
    }

    @Override
    public Runnable onSelected() {
        Runnable selected = super.onSelected();
        if (selected == null) {
            return null;
        }
        if (selected != task) {
            task = selected;
            placedTask = dispatch.place(selected);
        }
        return placedTask;
    }

    @Override
    protected void onIncompleteFlush() {
        if (waiting == null) {
            waiting = BlockedWriteEvent.begun();
        }
        super.onIncompleteFlush();
    }

    @Override
    public void onClose(Throwable failure) {
        life.closed(connector, this, failure);
        super.onClose(failure);
    }

    @Override
    public boolean flush(ByteBuffer... buffers) throws IOException {
        boolean flushed = send(buffers);
        if (flushed && waiting != null) {
            waiting.ended(this);
            waiting = null;
        }
        return flushed;
    }

    private boolean send(ByteBuffer... buffers) throws IOException {
        FileRegion region = announced;
        int token = region == null ? -1 : region.indexIn(buffers);
        if (token < 0) {
            return write(buffers, 0, buffers.length);
        }
        try {
            return write(buffers, 0, token)
                    && transfer(region)
                    && write(buffers, token + 1, buffers.length);
        } catch (TruncatedFileException x) {
            statistics.onTruncated();
            LOG.warn("Aborting {}: {}", this, x.getMessage());
            throw new EofException(x);
        }
    }

    private boolean write(ByteBuffer[] buffers, int from, int to) throws IOException {
        int first = skipEmpty(buffers, from, to);
        if (first == to) {
            return true;
        }
        try {
            long written = contentWriter.write(getChannel(), buffers, first, to);
            if (written > 0) {
                statistics.onCopied(written);
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

    /** Sends one turn at most; a flush that follows a whole turn sends nothing, and so gives the thread back. */
    private boolean transfer(FileRegion region) throws IOException {
        if (turnOver) {
            turnOver = false;
            return false;
        }
        int left = TURN_BYTES;
        try {
            while (left > 0 && region.remaining() > 0) {
                int sent = region.transferTo(getChannel(), left);
                if (sent == 0) {
                    return false;
                }
                left -= sent;
                statistics.onTransferred(sent);
                onSent(sent);
            }
        } catch (TruncatedFileException x) {
            throw x;
        } catch (IOException x) {
            throw new EofException(x);
        }
        turnOver = region.remaining() > 0;
        return !turnOver;
    }

    // The idle timer's volatile write makes the plain one before it visible: see PeerPace.
    private void onSent(long bytes) {
        sentBytes += bytes;
        notIdle();
    }

    @Override
    public long getSentBytes() {
        return sentBytes;
    }

    @Override
    public boolean isWritePending() {
        return getWriteFlusher().isPending();
    }

    @Override
    public PeerPace getPace() {
        return pace;
    }

    @Override
    public void announce(FileRegion region) {
        turnOver = false;
        announced = region;
        statistics.onAnnounce();
    }

    @Override
    public void withdraw() {
        announced = null;
    }

    @Override
    public TransferStatistics getTransferStatistics() {
        return statistics;
    }
}
