package dev.millrace.connector;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The alert by which TLS ends its output (close_notify, RFC 8446 section 6.1) where the thread that ends it must not
 * wait for the peer. That is the thread of an idle timeout, or any that has not the connection to itself. A thread of the
 * connector's writes the alert. What was to follow it follows when it is written, or when the peer has not taken it in
 * time. Without the alert the peer could not tell the end from a truncation.
 *
 * <p>Thread-safe.
 */
final class CloseAlert {
    private static final Logger LOG = LoggerFactory.getLogger(CloseAlert.class);

    private final SocketChannel channel;
    private final ConnectorStatistics statistics;
    private final Queue<ByteBuffer> records = new ArrayDeque<>();
    private final Queue<Runnable> following = new ArrayDeque<>();
    private Scheduler.@Nullable Task deadline;
    private boolean written;
    private volatile boolean ended;

    private CloseAlert(SocketChannel channel, ConnectorStatistics statistics, ByteBuffer alert) {
        this.channel = channel;
        this.statistics = statistics;
        records.add(alert);
    }

    /**
     * Takes an alert over.
     *
     * @param before the alert that was sent before, or null: TLS ends a handshake by two (user_canceled, then this one)
     * @return the alert under way, or null when there is no thread for it: then the buffers are as they were
     */
    static @Nullable CloseAlert send(
            @Nullable CloseAlert before, SocketChannel channel, BioResources resources, ByteBuffer... buffers) {
        ByteBuffer bytes = ByteBuffer.allocate((int) BufferUtil.remaining(buffers));
        for (ByteBuffer buffer : GatherWriter.viewsOf(buffers)) {
            bytes.put(buffer);
        }
        bytes.flip();
        CloseAlert alert = before;
        if (before == null || !before.isContinuedBy(bytes)) {
            alert = new CloseAlert(channel, resources.statistics(), bytes);
            try {
                resources.threads().execute(alert::write);
            } catch (Throwable x) {
                LOG.debug("No thread to send a close alert: {}", x.toString());
                return null;
            }
        }
        for (ByteBuffer buffer : buffers) {
            buffer.position(buffer.limit());
        }
        return alert;
    }

    private synchronized boolean isContinuedBy(ByteBuffer record) {
        return !written && records.add(record);
    }

    private synchronized @Nullable ByteBuffer next() {
        written = records.isEmpty();
        return records.poll();
    }

    /** @return whether the action will be run after the alert; else that has ended, and the caller may run it */
    synchronized boolean isFollowedBy(Runnable action) {
        return !ended && following.add(action);
    }

    /**
     * As {@link #isFollowedBy}, but does not wait for ever.
     *
     * @param millis the longest time to wait; with 0 or less, or without memory for the wait, the caller may run the action at once
     */
    synchronized boolean isFollowedByClose(Runnable close, Scheduler scheduler, long millis) {
        if (ended || millis <= 0) {
            return false;
        }
        try {
            deadline = scheduler.schedule(close, millis, TimeUnit.MILLISECONDS);
        } catch (Throwable x) {
            LOG.debug("No memory to wait for a close alert", x);
            return false;
        }
        return following.add(close);
    }

    /** Whether there is an alert that has not ended: neither was it written, nor has its write failed. */
    static boolean isUnderWay(@Nullable CloseAlert alert) {
        return alert != null && !alert.ended;
    }

    private void write() {
        statistics.onAlertBegin();
        try {
            for (ByteBuffer record = next(); record != null; record = next()) {
                while (record.hasRemaining()) {
                    channel.write(record);
                }
            }
        } catch (IOException x) {
            LOG.debug("Cannot send a close alert: {}", x.toString());
        } finally {
            statistics.onAlertEnd();
            end();
        }
    }

    private void end() {
        synchronized (this) {
            written = true;
            ended = true;
            if (deadline != null) {
                deadline.cancel();
            }
        }
        for (Runnable action : following) {
            try {
                action.run();
            } catch (Throwable x) {
                // The close may come behind it.
                LOG.warn("Cannot end {}", channel, x);
            }
        }
    }
}
