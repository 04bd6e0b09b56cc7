package dev.millrace.connector;

import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.Transfer;
import dev.millrace.transfer.TransferPermits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.util.NanoTime;

/**
 * Writes to a blocking channel until everything is written, slice by slice: each that the peer took counts as activity.
 * One thread at a time.
 */
final class BlockingWrite {
    /**
     * One call of sendfile tells of no progress until it returns: slices follow the pace of the peer, so that each takes a
     * small part of the idle timeout. Large ones spare system calls.
     */
    private static final int FIRST_SLICE_BYTES = 256 * 1024;
    private static final int MIN_SLICE_BYTES = 16 * 1024;
    private static final int MAX_SLICE_BYTES = 1024 * 1024;
    /** What a full socket is given by write(2), so that a virtual thread parks until there is room again. */
    private static final int PARKING_BLOCK_BYTES = 16 * 1024;

    private final BioEndPoint endPoint;
    private final SocketChannel channel;
    private final ByteBufferPool bufferPool;
    private final ContentWriter writer;
    private final LongAdder writtenBytes;
    private final TransferPermits permits;
    private volatile boolean queued;
    private int sliceBytes = FIRST_SLICE_BYTES;
    private long sentBytes;

    BlockingWrite(BioEndPoint endPoint, BioConnector connector) {
        this.permits = connector.getTransferPermits();
        this.endPoint = endPoint;
        this.channel = endPoint.getChannel();
        this.bufferPool = connector.getByteBufferPool();
        ContentWriter.Factory writers = connector.contentWriters();
        this.writer = writers.newContentWriter(bufferPool);
        this.writtenBytes = WriteStrategy.writtenBytes(writers, connector.getTransferStatistics());
    }

    long sentBytes() {
        return sentBytes;
    }

    // The idle timer's volatile write makes the plain one before it visible: see PeerPace.
    private void onSent(long bytes) {
        sentBytes += bytes;
        endPoint.notIdle();
    }

    /** Whether a transfer waits for its turn: then it is this server that makes the peer wait. */
    boolean isQueued() {
        return queued;
    }

    /** Writes the buffers, and sends the region where its token stands among them. */
    void write(ByteBuffer[] buffers, Transfer transfer) throws IOException {
        int token = transfer.region().indexIn(buffers);
        if (token < 0) {
            write(buffers, 0, buffers.length);
            return;
        }
        write(buffers, 0, token);
        try {
            transfer(transfer);
        } catch (IOException x) {
            transfer.onFailure(x);
            throw x;
        }
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
            writtenBytes.add(written);
            onSent(written);
        }
    }

    private void transfer(Transfer transfer) throws IOException {
        int turnBytes = transfer.blockingTurnBytes();
        if (turnBytes == 0) {
            transfer.onTurn();
            turn(transfer.region(), Integer.MAX_VALUE);
            return;
        }
        while (transfer.region().remaining() > 0) {
            acquireTurn();
            try {
                transfer.onTurn();
                turn(transfer.region(), turnBytes);
            } finally {
                permits.release();
            }
        }
    }

    private void acquireTurn() throws IOException {
        queued = true;
        boolean acquired = permits.acquire(this, endPoint::isOpen);
        queued = false;
        if (!acquired) {
            throw new EofException("closed while waiting for a turn");
        }
        endPoint.notIdle();
    }

    /** Ends a wait for a turn, after the end point was closed. */
    void cancel() {
        permits.cancel(this);
    }

    private void turn(FileRegion region, int bytes) throws IOException {
        int end = region.remaining() - Math.min(bytes, region.remaining());
        while (region.remaining() > end) {
            int slice = Math.min(sliceBytes, region.remaining() - end);
            long begin = NanoTime.now();
            int sent = region.transferTo(channel, slice);
            if (sent > 0) {
                endPoint.getTransferStatistics().onTransferred(sent);
                onSent(sent);
                if (sent == slice) {
                    adaptSlice(slice, NanoTime.elapsed(begin, NanoTime.now()));
                }
            } else {
                writeBlock(region, region.remaining() - end);
            }
        }
    }

    private void adaptSlice(int bytes, long nanos) {
        long idleTimeout = endPoint.getIdleTimeout();
        long most = idleTimeout <= 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(idleTimeout) / 16;
        if (nanos > most) {
            sliceBytes = (int) Math.max(MIN_SLICE_BYTES, bytes * ((double) most / nanos));
        } else if (bytes == sliceBytes && sliceBytes < MAX_SLICE_BYTES) {
            sliceBytes = Math.min(MAX_SLICE_BYTES, 2 * sliceBytes);
        }
    }

    // Reading on a virtual thread makes the JDK switch the socket to non-blocking for good. From then on transferTo
    // answers 0 for a full socket, and only read and write wait.
    private void writeBlock(FileRegion region, int most) throws IOException {
        RetainableByteBuffer.Mutable block = bufferPool.acquire(PARKING_BLOCK_BYTES, true);
        try {
            ByteBuffer buffer = block.getByteBuffer();
            buffer.clear().limit(Math.min(PARKING_BLOCK_BYTES, most));
            int read = region.read(buffer);
            buffer.flip();
            while (buffer.hasRemaining()) {
                int written = channel.write(buffer);
                endPoint.getTransferStatistics().onRegionCopied(written);
                onSent(written);
            }
            region.advance(read);
        } finally {
            block.release();
        }
    }
}
