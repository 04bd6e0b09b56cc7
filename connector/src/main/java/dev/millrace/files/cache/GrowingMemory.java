package dev.millrace.files.cache;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory outside the Java heap, given out in runs of slices. Taken from the system block by block, as it is needed, up to a
 * limit. Blocks that are used no more are left to the garbage collector, which gives them back. Thread-safe.
 */
public final class GrowingMemory {
    private static final Logger LOG = LoggerFactory.getLogger(GrowingMemory.class);
    private static final int BLOCK_BYTES = 1024 * 1024;
    /** A file that changes each second must not take a new block each second. */
    private static final long UNUSED_MILLIS = 10_000;

    private final IntFunction<ByteBuffer> allocator;
    private final int blockBytes;
    private final long unusedMillis;
    private final List<SliceMemory> blocks = new ArrayList<>();
    private int maxBytes;
    private int newest;

    /**
     * @param blockBytes how much is taken at once; no run is longer
     * @param unusedMillis an empty block leaves when nothing was taken of it for so long
     * @param allocator makes a block of so many bytes
     */
    public GrowingMemory(int maxBytes, int blockBytes, long unusedMillis, IntFunction<ByteBuffer> allocator) {
        this.maxBytes = maxBytes;
        this.blockBytes = blockBytes;
        this.unusedMillis = unusedMillis;
        this.allocator = allocator;
    }

    /**
     * @param largePages see {@link LargePages}; large pages are all taken at once and kept, as the system has set them apart for this
     * @param maxRunBytes the longest run that will be asked for
     */
    public static GrowingMemory of(@Nullable Path largePages, int maxBytes, int maxRunBytes) {
        if (largePages == null) {
            return new GrowingMemory(
                    maxBytes,
                    Math.min(maxBytes, Math.max(BLOCK_BYTES, SliceMemory.wholeSlices(maxRunBytes))),
                    UNUSED_MILLIS,
                    ByteBuffer::allocateDirect);
        }
        GrowingMemory memory =
                new GrowingMemory(maxBytes, maxBytes, Long.MAX_VALUE, bytes -> LargePages.allocate(largePages, bytes));
        memory.grow();
        return memory;
    }

    /** @return the longest run in bytes that can be given out */
    public int blockBytes() {
        return blockBytes;
    }

    /** @return bytes of all blocks */
    public synchronized int takenBytes() {
        return blocks.stream().mapToInt(SliceMemory::bytes).sum();
    }

    public synchronized int usedSlices() {
        return blocks.stream().mapToInt(SliceMemory::usedSlices).sum();
    }

    /** @return memory with one count, which the caller owns; null when there is no run so long */
    public synchronized @Nullable ContentMemory allocate(int bytes) {
        for (int i = 0; i < blocks.size(); i++) {
            int next = (newest + i) % blocks.size();
            ContentMemory content = blocks.get(next).allocate(bytes);
            if (content != null) {
                newest = next;
                return content;
            }
        }
        return grow() ? blocks.get(newest).allocate(bytes) : null;
    }

    private boolean grow() {
        int bytes = Math.min(blockBytes, maxBytes - takenBytes());
        if (bytes < SliceMemory.SLICE_BYTES) {
            return false;
        }
        try {
            blocks.add(new SliceMemory(allocator.apply(bytes), this::letGoOfUnused));
        } catch (OutOfMemoryError x) {
            // A JVM without more memory is asked once: before it says so it collects garbage, and waits.
            LOG.warn("The content cache stays at {} bytes: {}", takenBytes(), x.toString());
            maxBytes = takenBytes();
            return false;
        }
        newest = blocks.size() - 1;
        return true;
    }

    private synchronized void letGoOfUnused() {
        if (blocks.removeIf(block -> block.isUnusedFor(unusedMillis))) {
            newest = 0;
        }
    }
}
