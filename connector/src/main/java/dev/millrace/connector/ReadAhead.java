package dev.millrace.connector;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of a blocking channel that were read before the connection asked for them. A thread that waits for the peer
 * waits with a small buffer of its own. Any thread may fill from it and then, without waiting, from the channel. Two
 * may want to at once: a handler reads on while its idle timeout discards what is left. One may have read what the
 * system promised the other, which then would wait. So a thread that reads or fills holds the lock.
 */
final class ReadAhead {
    private static final Logger LOG = LoggerFactory.getLogger(ReadAhead.class);

    /** Holds a short request. Idle connections are many, and each waits with its buffer. */
    private static final int FIRST_BYTES = 128;

    /** A thread spins for the lock so often before it parks: most who have it make a call that does not wait. */
    private static final int MOST_SPINS = 1000;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    /** Stands in place of the buffer when the peer has ended, or the socket failed, and all that came has been taken. */
    private static final ByteBuffer END = ByteBuffer.allocate(0);
    // An updater spares an object for each of many idle connections: see docs/bench/connections.sh memory.
    private static final AtomicIntegerFieldUpdater<ReadAhead> LOCKED =
            AtomicIntegerFieldUpdater.newUpdater(ReadAhead.class, "locked");

    @SuppressWarnings("UnusedVariable") // Read by LOCKED.
    private volatile int locked;
    // These belong to the thread that waits for the peer, or else to the one that holds the lock.
    private ByteBuffer buffer;
    // One long message, as the first of TLS always is, is no reason to keep more for good.
    private boolean wasFilled;

    ReadAhead(int mostBytes) {
        this.buffer = ByteBuffer.allocate(Math.min(FIRST_BYTES, mostBytes)).flip();
    }

    /** @return whether this thread has the lock; else another reads or fills, and soon is done */
    boolean tryLock() {
        return LOCKED.compareAndSet(this, 0, 1);
    }

    /** Waits for the lock. A reader has it for a call that does not wait, a writer for as long as the peer takes what it writes. */
    void lock() {
        for (int spins = 0; spins < MOST_SPINS; spins++) {
            if (tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        // A virtual thread that spins on keeps its carrier, which the one with the lock may need.
        Waiting.until(this::tryLock);
    }

    void unlock() {
        locked = 0;
    }

    /** Whether bytes were read that the connection has yet to take. */
    boolean hasRemaining() {
        return buffer.hasRemaining();
    }

    @SuppressWarnings("ReferenceEquality") // Another buffer without bytes is no end.
    boolean hasEnded() {
        return buffer == END;
    }

    /**
     * Fills a buffer with what is there, without waiting. The caller holds the lock, and no thread waits for the peer.
     *
     * @param channel the connection's, in blocking mode
     * @param target in flush mode, filled behind its limit
     * @return the bytes filled; -1 at the end
     */
    int fill(SocketChannel channel, ByteBuffer target) throws IOException {
        int position = BufferUtil.flipToFill(target);
        try {
            if (!buffer.hasRemaining()) {
                return hasEnded() ? -1 : readPromised(channel, target);
            }
            int filled = BufferUtil.put(buffer, target);
            // A read that has filled the buffer has left the rest in the socket. The application gets both together, as
            // they came.
            return !buffer.hasRemaining() && buffer.limit() == buffer.capacity()
                    ? filled + readRest(channel, target)
                    : filled;
        } finally {
            BufferUtil.flipToFlush(target, position);
        }
    }

    /** As {@link #fill}, for the last times, and from what was read before alone: when all has been taken, the memory is given up. */
    int drain(ByteBuffer target) {
        int position = BufferUtil.flipToFill(target);
        int filled = BufferUtil.put(buffer, target);
        BufferUtil.flipToFlush(target, position);
        if (!buffer.hasRemaining() && !hasEnded()) {
            buffer = NOTHING;
        }
        return filled;
    }

    // The channel blocks: read only what FIONREAD promises. At the end of the stream that is 0, and the thread that
    // waits for the peer finds the end.
    private int readPromised(SocketChannel channel, ByteBuffer target) throws IOException {
        return target.hasRemaining() && available(channel) > 0 ? channel.read(target) : 0;
    }

    // What was read before counts, whatever becomes of this: an end is for the next fill to tell.
    private int readRest(SocketChannel channel, ByteBuffer target) {
        int rest = -1;
        try {
            rest = readPromised(channel, target);
        } catch (IOException x) {
            LOG.debug("Cannot read {}: {}", channel, x.toString());
        }
        if (rest < 0) {
            buffer = END;
            return 0;
        }
        return rest;
    }

    // A stream that is kept is kept by each idle connection of TLS, which asks in its handshake, and seldom after that.
    private static int available(SocketChannel channel) throws IOException {
        return channel.socket().getInputStream().available();
    }

    /**
     * Whether the peer has sent what no thread has read yet. Its end alone is nothing. A thread that waits may be kept from reading, a
     * virtual one by handlers on all carriers. Takes no lock that a reader holds.
     */
    static boolean hasUnread(SocketChannel channel) {
        try {
            return available(channel) > 0;
        } catch (IOException closed) {
            return false;
        }
    }

    /**
     * Room for what the peer sends next, if all that it sent before has been taken. {@link #filled} follows, by the one thread that
     * waits for the peer.
     *
     * @return in fill mode; null when there is no room now, or the peer has ended
     */
    @Nullable ByteBuffer room(int mostBytes) {
        lock();
        try {
            if (buffer.hasRemaining() || hasEnded()) {
                return null;
            }
            boolean isFilled = buffer.limit() == buffer.capacity();
            buffer = isFilled && !wasFilled ? buffer.clear() : emptied(buffer, mostBytes);
            wasFilled = isFilled;
            return buffer;
        } finally {
            unlock();
        }
    }

    /** The buffer for the next read: the last one, or a larger one if that was filled. What does not fit costs two calls more. */
    static ByteBuffer emptied(ByteBuffer last, int mostBytes) {
        int bytes = last.capacity();
        return last.limit() < bytes || bytes >= mostBytes
                ? last.clear()
                : ByteBuffer.allocate((int) Math.min(2L * bytes, mostBytes));
    }

    /**
     * Ends the wait for the peer.
     *
     * @param isEnd whether nothing came into the room but the peer's end, or a failure
     */
    void filled(boolean isEnd) {
        buffer = isEnd ? END : buffer.flip();
    }
}
