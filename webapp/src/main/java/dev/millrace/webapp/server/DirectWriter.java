package dev.millrace.webapp.server;

import dev.millrace.connector.ContentWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Copies what lies in the heap into one direct buffer, whole, and keeps that until the socket has taken it. That is one
 * copy, and as much memory outside the heap as the content is long. The garbage collector gives it back. Not pooled,
 * because a connection may end while another thread still writes from the copy.
 */
final class DirectWriter implements ContentWriter {
    private @Nullable ByteBuffer source;
    private @Nullable ByteBuffer copy;

    @Override
    public long write(GatheringByteChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        int heap = ChunkWriter.firstInHeap(buffers, from, to);
        if (heap == to) {
            return ChunkWriter.writeDirect(channel, buffers, from, to, mostBytes);
        }
        // A head goes together with the copy of its content; what follows has its turn with the next write.
        ByteBuffer[] direct = new ByteBuffer[heap - from + 1];
        System.arraycopy(buffers, from, direct, 0, heap - from);
        ByteBuffer content = buffers[heap];
        ByteBuffer copied = copyOf(content);
        direct[heap - from] = copied;
        long written = ChunkWriter.writeDirect(channel, direct, 0, direct.length, mostBytes);
        content.position(content.limit() - copied.remaining());
        if (!content.hasRemaining()) {
            source = null;
            copy = null;
        }
        return written;
    }

    @SuppressWarnings("ReferenceEquality") // Another buffer with equal bytes has not been copied.
    private ByteBuffer copyOf(ByteBuffer heap) {
        ByteBuffer copied = copy;
        if (copied == null || source != heap || heap.remaining() != copied.remaining()) {
            copied = ByteBuffer.allocateDirect(heap.remaining())
                    .put(heap.duplicate())
                    .flip();
            copy = copied;
            source = heap;
        }
        return copied;
    }
}
