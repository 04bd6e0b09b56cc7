package dev.millrace.files.cache;

import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Retainable;

/**
 * The bytes of a file in a run of slices, counted as a group. The cache holds the first count, and every response that
 * sends from it another. With the last one the slices are free again, once. Thread-safe.
 */
public final class ContentMemory extends Retainable.ReferenceCounter {
    private final Runnable free;
    private final int slices;
    private final ByteBuffer bytes;

    /** @param free makes the slices free again, called once */
    public ContentMemory(int slices, ByteBuffer bytes, Runnable free) {
        this.free = free;
        this.slices = slices;
        this.bytes = bytes;
    }

    public int slices() {
        return slices;
    }

    /** @return the bytes, to be filled by the thread that allocated them, before another sees them */
    public ByteBuffer writable() {
        return bytes.duplicate();
    }

    /** A part of the bytes, valid while the caller holds a count; not to be written to. */
    public ByteBuffer part(long offset, int length) {
        return bytes.slice((int) offset, length);
    }

    /** Gives a count back; throws IllegalStateException when none is left. */
    @Override
    public boolean release() {
        boolean isLast = super.release();
        if (isLast) {
            free.run();
        }
        return isLast;
    }
}
