package dev.millrace.webapp.server;

import dev.millrace.connector.ContentWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;

/**
 * Copies the next bytes into a pooled direct buffer and writes that. At most 64 KiB are copied again when the socket
 * takes only a part. The adaptive writer copies no more than the socket took the last time, and tries twice as much
 * when it took all. Direct buffers are written without a copy. Used by one thread at a time.
 */
final class ChunkWriter implements ContentWriter {
    private static final int MOST_BYTES = 64 * 1024;
    private static final int LEAST_BYTES = 4 * 1024;
    private static final int DIRECT_SLICE_BYTES = 1024 * 1024;

    private final ByteBufferPool bufferPool;
    private final boolean adaptive;
    private int chunkBytes = MOST_BYTES;

    ChunkWriter(ByteBufferPool bufferPool, boolean adaptive) {
        this.bufferPool = bufferPool;
        this.adaptive = adaptive;
    }

    @Override
    public long write(GatheringByteChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        if (firstInHeap(buffers, from, to) == to) {
            return writeDirect(channel, buffers, from, to, mostBytes);
        }
        RetainableByteBuffer.Mutable pooled = bufferPool.acquire(MOST_BYTES, true);
        try {
            ByteBuffer chunk = pooled.getByteBuffer();
            chunk.clear().limit(Math.min(chunkBytes, mostBytes));
            copy(buffers, from, to, chunk);
            chunk.flip();
            int wanted = chunk.remaining();
            int written = channel.write(chunk);
            advance(buffers, from, written);
            adapt(wanted, written);
            return written;
        } finally {
            pooled.release();
        }
    }

    /** The index of the first buffer whose bytes lie in the heap; {@code to} when none does. */
    static int firstInHeap(ByteBuffer[] buffers, int from, int to) {
        int heap = from;
        while (heap < to && buffers[heap].isDirect()) {
            heap++;
        }
        return heap;
    }

    private void adapt(int wanted, int written) {
        if (adaptive && written < wanted) {
            chunkBytes = Math.max(LEAST_BYTES, written);
        } else if (adaptive && wanted == chunkBytes) {
            chunkBytes = Math.min(MOST_BYTES, 2 * chunkBytes);
        }
    }

    /** Copies what fits, and leaves the sources where they are. */
    private static void copy(ByteBuffer[] buffers, int from, int to, ByteBuffer target) {
        for (int i = from; i < to && target.hasRemaining(); i++) {
            ByteBuffer source = buffers[i];
            int bytes = Math.min(source.remaining(), target.remaining());
            target.put(target.position(), source, source.position(), bytes);
            target.position(target.position() + bytes);
        }
    }

    /** Advances the sources by what was written of their copy. */
    private static void advance(ByteBuffer[] buffers, int from, long written) {
        long left = written;
        for (int i = from; left > 0; i++) {
            int bytes = (int) Math.min(left, buffers[i].remaining());
            buffers[i].position(buffers[i].position() + bytes);
            left -= bytes;
        }
    }

    /** Writes direct buffers as they are. */
    static long writeDirect(GatheringByteChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        int room = Math.min(mostBytes, DIRECT_SLICE_BYTES);
        int last = from;
        while (last < to && buffers[last].remaining() <= room) {
            room -= buffers[last].remaining();
            last++;
        }
        if (last == to || room == 0) {
            return channel.write(buffers, from, last - from);
        }
        ByteBuffer cut = buffers[last];
        int limit = cut.limit();
        cut.limit(cut.position() + room);
        try {
            return channel.write(buffers, from, last - from + 1);
        } finally {
            cut.limit(limit);
        }
    }
}
