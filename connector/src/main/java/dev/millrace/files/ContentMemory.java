package dev.millrace.files;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes of a file in a run of slices, counted as a group: the cache holds the first count, every response that
 * sends from it another, and with the last one the slices are free again, once. Thread-safe.
 */
final class ContentMemory {
    private final SliceMemory memory;
    private final int firstSlice;
    private final int slices;
    private final ByteBuffer bytes;
    private final AtomicInteger references = new AtomicInteger(1);

    ContentMemory(SliceMemory memory, int firstSlice, int slices, ByteBuffer bytes) {
        this.memory = memory;
        this.firstSlice = firstSlice;
        this.slices = slices;
        this.bytes = bytes;
    }

    int slices() {
        return slices;
    }

    /** To be filled, by who allocated it, before anybody else sees it. */
    ByteBuffer writable() {
        return bytes.duplicate();
    }

    /** A part of the bytes, valid while the caller holds a count; nobody writes to it. */
    ByteBuffer part(long offset, int length) {
        return bytes.slice((int) offset, length);
    }

    /** Takes a count, unless the last one is gone. */
    boolean retain() {
        return references.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Gives a count back. */
    void release() {
        if (references.decrementAndGet() == 0) {
            memory.free(firstSlice, slices);
        }
    }
}
