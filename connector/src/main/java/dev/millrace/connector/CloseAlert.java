package dev.millrace.connector;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The alert by which TLS ends its output (close_notify, RFC 8446 section 6.1) where whoever ends it must not wait for the
 * peer: an idle timeout, HTTP/2, any thread that has not the connection to itself. A thread of the connector's writes it;
 * what was to follow it follows when it is written, or when the peer has not taken it in time. Without it the peer could
 * not tell the end from a truncation.
 *
 * <p>Thread-safe.
 */
final class CloseAlert {
    private static final Logger LOG = LoggerFactory.getLogger(CloseAlert.class);

    private final SocketChannel channel;
    private final BioConnector connector;
    private final ByteBuffer alert;
    private final Queue<Runnable> following = new ArrayDeque<>();
    private Scheduler.Task deadline;
    private boolean ended;

    private CloseAlert(SocketChannel channel, BioConnector connector, ByteBuffer alert) {
        this.channel = channel;
        this.connector = connector;
        this.alert = alert;
    }

    /**
     * Takes an alert over.
     *
     * @return the alert under way, or null when there is no thread for it: then the buffers are as they were
     */
    static CloseAlert send(SocketChannel channel, BioConnector connector, ByteBuffer... buffers) {
        ByteBuffer bytes = ByteBuffer.allocate((int) BufferUtil.remaining(buffers));
        ChunkWriter.copy(buffers, 0, buffers.length, bytes);
        CloseAlert alert = new CloseAlert(channel, connector, bytes.flip());
        try {
            connector.getConnectionThreads().execute(alert::write);
        } catch (Throwable x) {
            LOG.debug("No thread to send a close alert: {}", x.toString());
            return null;
        }
        ChunkWriter.advance(buffers, 0, bytes.limit());
        return alert;
    }

    /** @return whether the action will be run after the alert; else that has ended, and the caller may run it */
    synchronized boolean isFollowedBy(Runnable action) {
        return !ended && following.add(action);
    }

    /**
     * As {@link #isFollowedBy}, but waits no longer than the connector gives an idle connection at its shutdown: not at all when
     * that is 0 or less.
     */
    synchronized boolean isFollowedByClose(Runnable close) {
        long millis = connector.getShutdownIdleTimeout();
        if (ended || millis <= 0) {
            return false;
        }
        deadline = connector.getScheduler().schedule(close, millis, TimeUnit.MILLISECONDS);
        return following.add(close);
    }

    private void write() {
        connector.getConnectorStatistics().onWriteBegin();
        try {
            while (alert.hasRemaining()) {
                channel.write(alert);
            }
        } catch (IOException x) {
            LOG.debug("Cannot send a close alert: {}", x.toString());
        } finally {
            connector.getConnectorStatistics().onWriteEnd();
            end();
        }
    }

    private void end() {
        synchronized (this) {
            ended = true;
            if (deadline != null) {
                deadline.cancel();
            }
        }
        following.forEach(Runnable::run);
    }
}
