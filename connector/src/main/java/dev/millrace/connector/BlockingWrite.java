package dev.millrace.connector;

import dev.millrace.transfer.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;

/**
 * Writes to a blocking channel until everything is written, slice by slice: each that the peer took counts as activity.
 * One thread at a time.
 */
final class BlockingWrite {
    private static final int TRANSFER_SLICE_BYTES = 2 * 1024 * 1024;
    /** What a full socket is given by write(2), so that a virtual thread parks until there is room again. */
    private static final int PARKING_BLOCK_BYTES = 16 * 1024;

    private final BioEndPoint endPoint;
    private final SocketChannel channel;
    private final ByteBufferPool bufferPool;
    private final ContentWriter writer;
    private long sentBytes;

    BlockingWrite(BioEndPoint endPoint, ByteBufferPool bufferPool, ContentWriter writer) {
        this.endPoint = endPoint;
        this.channel = endPoint.getChannel();
        this.bufferPool = bufferPool;
        this.writer = writer;
    }

    long sentBytes() {
        return sentBytes;
    }

    // The idle timer's volatile write makes the plain one before it visible: see PeerPace.
    private void onSent(long bytes) {
        sentBytes += bytes;
        endPoint.notIdle();
    }

    /** Writes the buffers, and sends the region where its token stands among them. */
    void write(ByteBuffer[] buffers, FileRegion region) throws IOException {
        int token = region.indexIn(buffers);
        if (token < 0) {
            write(buffers, 0, buffers.length);
            return;
        }
        write(buffers, 0, token);
        transfer(region);
        write(buffers, token + 1, buffers.length);
    }

    /** Writes the buffers from one index to another. */
    void write(ByteBuffer[] buffers, int from, int to) throws IOException {
        int first = from;
        while (true) {
            while (first < to && !buffers[first].hasRemaining()) {
                first++;
            }
            if (first == to) {
                return;
            }
            long written = writer.write(channel, buffers, first, to);
            endPoint.getTransferStatistics().onCopied(written);
            onSent(written);
        }
    }

    private void transfer(FileRegion region) throws IOException {
        while (region.remaining() > 0) {
            int sent = region.transferTo(channel, TRANSFER_SLICE_BYTES);
            if (sent > 0) {
                endPoint.getTransferStatistics().onTransferred(sent);
                onSent(sent);
            } else {
                writeBlock(region);
            }
        }
    }

    // Reading on a virtual thread makes the JDK switch the socket to non-blocking for good. From then on transferTo
    // answers 0 for a full socket, and only read and write wait.
    private void writeBlock(FileRegion region) throws IOException {
        RetainableByteBuffer.Mutable block = bufferPool.acquire(PARKING_BLOCK_BYTES, true);
        try {
            ByteBuffer buffer = block.getByteBuffer();
            buffer.clear().limit(PARKING_BLOCK_BYTES);
            int read = region.read(buffer);
            buffer.flip();
            while (buffer.hasRemaining()) {
                int written = channel.write(buffer);
                endPoint.getTransferStatistics().onCopied(written);
                onSent(written);
            }
            region.advance(read);
        } finally {
            block.release();
        }
    }
}
