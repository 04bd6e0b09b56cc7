package dev.millrace.connector;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory in which connections of TLS prepare many records for one write. The last that was given back is taken first: it is in the
 * processor's cache. What is taken is given back before the connection waits for its peer, or its thread blocks in a write. What
 * nobody takes for a while is let go of. There is less of it for the next write to a slow peer ({@link #forSlowPeers()}). All
 * sizes together have one limit.
 *
 * <p>Thread-safe.
 */
final class TlsMemory {
    private static final Logger LOG = LoggerFactory.getLogger(TlsMemory.class);

    /** The most content that one record of TLS holds (RFC 8446 section 5.1). */
    static final int RECORD_BYTES = 16 * 1024;
    /** About what one write takes of content: with more, the memory leaves the processor's cache. */
    static final int BATCH_BYTES = 16 * RECORD_BYTES;
    /** What the socket of a slow peer does not take is copied, or keeps its memory, until the peer has read. */
    static final int SLOW_BATCH_BYTES = 4 * RECORD_BYTES;

    /** Room for the fields around each record: the JDK asks for 325 bytes. */
    private static final int FIELDS_BYTES = 512;

    private static final int CAPACITY = capacity(BATCH_BYTES);
    private static final int MOST_BATCHES = 256;
    /** All batches together take at most one in so many of the bytes that the heap may grow to. */
    private static final int SHARE = 8;

    private final int batchBytes;
    private final long mostBytes;
    private final AtomicLong freeBytes;
    private final @Nullable TlsMemory forSlowPeers;
    private final IntFunction<ByteBuffer> source;
    private final List<Runnable> listeners;
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
        this(
                BATCH_BYTES,
                (long) CAPACITY * batches,
                new AtomicLong((long) CAPACITY * batches),
                source,
                new CopyOnWriteArrayList<>());
    }

    private TlsMemory(
            int batchBytes,
            long mostBytes,
            AtomicLong freeBytes,
            IntFunction<ByteBuffer> source,
            List<Runnable> listeners) {
        this.batchBytes = batchBytes;
        this.mostBytes = mostBytes;
        this.freeBytes = freeBytes;
        this.source = source;
        this.listeners = listeners;
        forSlowPeers = batchBytes == BATCH_BYTES
                ? new TlsMemory(SLOW_BATCH_BYTES, mostBytes, freeBytes, source, listeners)
                : null;
    }

    // With one record more than the content fills, for what goes before it.
    private static int capacity(int batchBytes) {
        return (batchBytes / RECORD_BYTES + 1) * (RECORD_BYTES + FIELDS_BYTES);
    }

    private int capacity() {
        return capacity(batchBytes);
    }

    /** @param listener told, by any thread, that {@link #letUnusedGo} has something to do: memory is made, or was refused */
    void addListener(Runnable listener) {
        listeners.add(listener);
    }

    /** @param listener the very one that was added */
    void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    /** @return whether somebody lets it go when it is not used */
    boolean isWatched() {
        return !listeners.isEmpty();
    }

    /** @return that for a batch of {@link #SLOW_BATCH_BYTES} */
    TlsMemory forSlowPeers() {
        return Objects.requireNonNullElse(forSlowPeers, this);
    }

    /** @return how many more batches there may be now, of the larger size */
    int getFree() {
        return Math.toIntExact(Math.floorDiv(freeBytes.get(), CAPACITY));
    }

    /** @return buffers that are not given back yet */
    int getTaken() {
        return taken.get() + (forSlowPeers == null ? 0 : forSlowPeers.getTaken());
    }

    /**
     * Asks whether one more connection may prepare or hold many records.
     *
     * @return whether it may; {@link #leave()} follows, or {@link #keep}
     */
    boolean enter() {
        if (refused) {
            listeners.forEach(Runnable::run);
            return false;
        }
        if (freeBytes.addAndGet(-capacity()) >= 0) {
            return true;
        }
        freeBytes.addAndGet(capacity());
        return false;
    }

    void leave() {
        leave(capacity());
    }

    /** Leaves but for some bytes, which the connection holds elsewhere until {@link #leave(int)}. */
    void keep(int bytes) {
        leave(capacity() - bytes);
    }

    /** @param bytes those that were kept */
    void leave(int bytes) {
        if (freeBytes.addAndGet(bytes) > mostBytes) {
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

    /** @return room outside the heap for the content of a batch; null when there is none */
    @Nullable ByteBuffer takeForContent() {
        ByteBuffer buffer = take();
        return buffer == null ? null : buffer.limit(batchBytes);
    }

    /** @return room outside the heap for the records of a batch, as the system writes them; null when there is none */
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
        listeners.forEach(Runnable::run);
        try {
            return source.apply(capacity());
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
            if (idle.size() < Math.max(1, mostBytes / capacity() / 4)) {
                idle.addFirst(buffer);
            }
        }
    }

    /** Lets go of what nobody has taken since this was called before, and has connections ask again for what was refused. */
    synchronized void letUnusedGo() {
        if (forSlowPeers != null) {
            forSlowPeers.letUnusedGo();
        }
        refused = false;
        for (; unused > 0; unused--) {
            idle.removeLast();
        }
        unused = idle.size();
    }

    synchronized long getIdleBytes() {
        return (long) capacity() * idle.size() + (forSlowPeers == null ? 0 : forSlowPeers.getIdleBytes());
    }
}
