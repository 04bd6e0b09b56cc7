package dev.millrace.files.cache;

import java.nio.ByteBuffer;
import java.util.BitSet;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;

/**
 * One direct buffer, given out in runs of slices. A run is one buffer, and so goes to a socket in one gathering write
 * with the header. Thread-safe; the lock is taken when something comes into the cache or leaves it, not when it is
 * sent.
 */
public final class SliceMemory {
    /** The least that a run takes, and its unit. */
    public static final int SLICE_BYTES = 1024;

    private final ByteBuffer buffer;
    private final int slices;
    private final BitSet used;
    private final Runnable onEmpty;
    /** Where the next search begins: behind the last run. */
    private int searchFrom;

    private int usedSlices;
    private long allocatedNanoTime = NanoTime.now();

    /**
     * @param buffer all of the memory; owned by this from now on
     * @param onEmpty called without a lock by the thread that freed the last slice
     */
    public SliceMemory(ByteBuffer buffer, Runnable onEmpty) {
        this.buffer = buffer;
        this.onEmpty = onEmpty;
        this.slices = buffer.capacity() / SLICE_BYTES;
        this.used = new BitSet(slices);
    }

    /** @return how many slices a run for so many bytes takes, at least 1 */
    public static int slices(long bytes) {
        return Math.max(1, (int) ((bytes + SLICE_BYTES - 1) / SLICE_BYTES));
    }

    /** A number of bytes that a run for so many takes. */
    public static int wholeSlices(int bytes) {
        return (int) Math.min(Integer.MAX_VALUE, (long) slices(bytes) * SLICE_BYTES);
    }

    public synchronized int usedSlices() {
        return usedSlices;
    }

    int bytes() {
        return buffer.capacity();
    }

    /** Whether no slice is used, and none was given out for so long. */
    synchronized boolean isUnusedFor(long millis) {
        return usedSlices == 0 && NanoTime.millisSince(allocatedNanoTime) >= millis;
    }

    /** @return memory with one count, which the caller owns; null when there is no run so long */
    public synchronized @Nullable ContentMemory allocate(int bytes) {
        int count = slices(bytes);
        if (count > slices - usedSlices) {
            return null;
        }
        int first = find(count, searchFrom, slices);
        if (first < 0) {
            first = find(count, 0, Math.min(slices, searchFrom + count));
        }
        if (first < 0) {
            return null;
        }
        used.set(first, first + count);
        usedSlices += count;
        allocatedNanoTime = NanoTime.now();
        searchFrom = first + count;
        int begin = first;
        return new ContentMemory(count, buffer.slice(begin * SLICE_BYTES, bytes), () -> free(begin, count));
    }

    private int find(int count, int begin, int end) {
        int first = used.nextClearBit(begin);
        while (first + count <= end) {
            int next = used.nextSetBit(first);
            if (next < 0 || next >= first + count) {
                return first;
            }
            first = used.nextClearBit(next);
        }
        return -1;
    }

    /**
     * Makes a run free again.
     *
     * @throws IllegalStateException when one of its slices is free already
     */
    public void free(int first, int count) {
        if (clear(first, count)) {
            onEmpty.run();
        }
    }

    private synchronized boolean clear(int first, int count) {
        if (used.nextClearBit(first) < first + count) {
            throw new IllegalStateException("slices " + first + "+" + count + " are free already");
        }
        used.clear(first, first + count);
        usedSlices -= count;
        return usedSlices == 0;
    }
}
