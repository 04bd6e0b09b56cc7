package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.transfer.TransferStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.NegotiatingServerConnection;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a blocking connection whose protocol has become a multiplexed one. It blocks no longer, and a selector
 * of the connector watches it from now on. The end point has Jetty's code for its interests and its tasks. But a
 * selector given to its constructor would also be woken by the end of each connection that blocks.
 *
 * <p>Thread-safe; one thread at a time flushes.
 */
final class SelectedChannel {
    private final SocketChannelEndPoint endPoint;
    private final ManagedSelector selector;
    private final SelectorExecutor selectorExecutor;
    private final ContentWriter writer;
    private final TransferStatistics statistics;
    private final ManagedSelector.SelectorUpdate update = this::update;
    // Of the thread that selects.
    private boolean registered;
    // The selector has found the channel ready, and updates its interests before it selects again.
    private volatile boolean updating;
    private long sentBytes;
    private @Nullable BlockedWriteEvent waiting;

    private SelectedChannel(
            SocketChannelEndPoint endPoint,
            ManagedSelector selector,
            ContentWriter writer,
            TransferStatistics statistics) {
        this.endPoint = endPoint;
        this.selector = selector;
        this.selectorExecutor = SelectorExecutor.of(selector);
        this.writer = writer;
        this.statistics = statistics;
    }

    /**
     * Whether the protocol of a connection, inside TLS or not, wants a selector: any but HTTP/1.1, and what only finds out which
     * protocol follows.
     */
    static boolean isFor(Connection outermost) {
        Connection connection =
                outermost instanceof SslConnection ssl ? ssl.getSslEndPoint().getConnection() : outermost;
        return !(JettyInternals.parserOf(connection) != null
                || connection instanceof NegotiatingServerConnection
                || connection == null
                || JettyInternals.isPreliminary(connection));
    }

    /**
     * Gives a channel to a selector, for good.
     *
     * @param endPoint owns the channel; nothing reads from it or writes to it in blocking mode
     * @param writer the connection's
     * @param statistics counts what is written
     * @param selector null when the connector has stopped
     * @throws IOException when the channel is closed, or is to be
     */
    static SelectedChannel register(
            SocketChannelEndPoint endPoint,
            @Nullable ManagedSelector selector,
            ContentWriter writer,
            TransferStatistics statistics)
            throws IOException {
        if (selector == null) {
            throw new ClosedChannelException();
        }
        endPoint.getChannel().configureBlocking(false);
        SelectedChannel selected = new SelectedChannel(endPoint, selector, writer, statistics);
        selector.submit(selected::register);
        return selected;
    }

    private void register(Selector keys) {
        try {
            endPoint.replaceKey(endPoint.getChannel().register(keys, 0, endPoint));
            registered = true;
        } catch (ClosedChannelException x) {
            endPoint.close(x);
        }
    }

    private void update(Selector keys) {
        if (registered) {
            endPoint.updateKey();
        }
    }

    /**
     * Called before the end point says what is to be done, by the thread that selects.
     *
     * @param here whether this thread is to do it
     */
    void onSelected(boolean here) {
        updating = true;
        selectorExecutor.place(here);
    }

    /** Called by a thread that may be about to block, and may be the selector's. */
    void aboutToBlock() {
        selectorExecutor.aboutToBlock();
    }

    /** Called before the end point tells the key of its interests, by the thread that selects. */
    void onUpdateKey() {
        updating = false;
    }

    /** Called after the end point's interests have changed. */
    void onInterest() {
        if (!updating) {
            selector.submit(update);
        }
    }

    /** Called when a flush has left something, after the interest in writing. */
    void onIncompleteFlush() {
        if (waiting == null) {
            waiting = BlockedWriteEvent.begun();
        }
        onInterest();
    }

    /**
     * Writes what the socket takes.
     *
     * @return whether it has taken all
     */
    boolean flush(ByteBuffer... buffers) throws IOException {
        int first = skipEmpty(buffers, 0);
        if (first < buffers.length) {
            try {
                long written = writer.write(endPoint.getChannel(), buffers, first, buffers.length, Integer.MAX_VALUE);
                if (written > 0) {
                    statistics.onWritten(written);
                    // The idle timer's volatile write makes the plain one before it visible: see PeerRates.
                    sentBytes += written;
                    endPoint.notIdle();
                }
            } catch (IOException x) {
                throw new EofException(x);
            }
            if (skipEmpty(buffers, first) < buffers.length) {
                return false;
            }
        }
        if (waiting != null) {
            waiting.ended(endPoint);
            waiting = null;
        }
        return true;
    }

    private static int skipEmpty(ByteBuffer[] buffers, int from) {
        int first = from;
        while (first < buffers.length && !buffers[first].hasRemaining()) {
            first++;
        }
        return first;
    }

    long sentBytes() {
        return sentBytes;
    }

    /** Lets the selector forget the channel; before it lingers elsewhere. */
    void leave() {
        Selector keys = selector.getSelector();
        SelectionKey key = keys == null ? null : endPoint.getChannel().keyFor(keys);
        if (key != null) {
            key.cancel();
        }
        wakeUp();
    }

    /** Has the selector notice that the channel was closed: until then the system keeps the socket. */
    void wakeUp() {
        selector.submit(keys -> {});
    }
}
