package dev.millrace.connector;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory in which connections of TLS prepare many records for one write. The last that was given back is taken first: it is in the
 * processor's cache. What is taken is given back before the connection waits for its peer, or its thread blocks in a write. What
 * nobody takes for a while is let go of.
 *
 * <p>Thread-safe.
 */
final class TlsMemory {
    private static final Logger LOG = LoggerFactory.getLogger(TlsMemory.class);

    /** The most content that one record of TLS holds (RFC 8446 section 5.1). */
    static final int RECORD_BYTES = 16 * 1024;
    /** About what one write takes of content: with more, the memory leaves the processor's cache. */
    static final int BATCH_BYTES = 16 * RECORD_BYTES;

    /** Room for the fields around each record: the JDK asks for 325 bytes. */
    private static final int FIELDS_BYTES = 512;

    private static final int CAPACITY = 17 * (RECORD_BYTES + FIELDS_BYTES);
    private static final int MOST_BATCHES = 256;
    /** All batches together take at most one in so many of the bytes that the heap may grow to. */
    private static final int SHARE = 8;

    private final int batches;
    private final AtomicInteger free;
    private final int mostIdle;
    private final IntFunction<ByteBuffer> source;
    private final AtomicInteger taken = new AtomicInteger();
    // Since the system has refused memory, until the next look.
    private volatile boolean refused;
    // Both guarded by this.
    private final Deque<ByteBuffer> idle = new ArrayDeque<>();
    /** The fewest that have lain here at one time since the last look: so many at the end have not been taken. */
    private int unused;

    TlsMemory() {
        this((int) Math.max(1, Math.min(MOST_BATCHES, Runtime.getRuntime().maxMemory() / SHARE / CAPACITY)));
    }

    /** @param batches for how many at once there is to be memory: beyond them connections write one record at a time */
    TlsMemory(int batches) {
        this(batches, ByteBuffer::allocateDirect);
    }

    /** @param source makes memory of a size, outside the heap; it may refuse by an OutOfMemoryError, as the JDK does */
    TlsMemory(int batches, IntFunction<ByteBuffer> source) {
        this.batches = batches;
        this.source = source;
        free = new AtomicInteger(batches);
        mostIdle = Math.max(1, batches / 4);
    }

    /** @return how many more batches there may be now */
    int getFree() {
        return free.get();
    }

    /** @return buffers that are not given back yet */
    int getTaken() {
        return taken.get();
    }

    /**
     * Asks whether one more connection may prepare or hold many records.
     *
     * @return whether it may; {@link #leave()} follows
     */
    boolean enter() {
        if (refused) {
            return false;
        }
        if (free.decrementAndGet() >= 0) {
            return true;
        }
        free.incrementAndGet();
        return false;
    }

    void leave() {
        if (free.incrementAndGet() > batches) {
            throw new IllegalStateException("left more often than entered");
        }
    }

    /** As {@link #leave()}, after {@link #giveBack} of what was taken, if anything was. */
    void leave(@Nullable ByteBuffer buffer) {
        if (buffer != null) {
            giveBack(buffer);
        }
        leave();
    }

    /** @return room for a batch, outside the heap, as the system writes it; null when there is none */
    @Nullable ByteBuffer take() {
        ByteBuffer last = poll();
        ByteBuffer buffer = last == null ? make() : last.clear();
        if (buffer != null) {
            taken.incrementAndGet();
        }
        return buffer;
    }

    // The JDK collects garbage for half a second before it refuses. No other connection is to ask for that soon.
    private @Nullable ByteBuffer make() {
        try {
            return source.apply(CAPACITY);
        } catch (OutOfMemoryError x) {
            LOG.debug("Connections of TLS write one record at a time for a while: {}", x.toString());
            refused = true;
            return null;
        }
    }

    private synchronized @Nullable ByteBuffer poll() {
        ByteBuffer last = idle.pollFirst();
        unused = Math.min(unused, idle.size());
        return last;
    }

    /** @param buffer one that was taken; nobody uses it any more */
    void giveBack(ByteBuffer buffer) {
        // Two connections would write from the same memory.
        if (taken.decrementAndGet() < 0) {
            throw new IllegalStateException("given back more often than taken");
        }
        synchronized (this) {
            if (idle.size() < mostIdle) {
                idle.addFirst(buffer);
            }
        }
    }

    /** Lets go of what nobody has taken since this was called before, and has connections ask again for what was refused. */
    synchronized void letUnusedGo() {
        refused = false;
        for (; unused > 0; unused--) {
            idle.removeLast();
        }
        unused = idle.size();
    }

    synchronized long getIdleBytes() {
        return (long) CAPACITY * idle.size();
    }
}
