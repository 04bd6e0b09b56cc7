package dev.millrace.connector;

import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.Transfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.util.NanoTime;

/**
 * Writes to a blocking channel until everything is written, slice by slice: each that the peer took counts as activity.
 * One thread at a time.
 */
final class BlockingWrite {
    /**
     * A blocking call tells of no progress until it returns: slices follow the pace of the peer, so that each takes a small
     * part of the time for which he may seem to take nothing. Large ones spare system calls. The first is about what the send
     * buffer of a new connection hides in any case.
     */
    private static final int FIRST_SLICE_BYTES = 32 * 1024;
    private static final int MIN_SLICE_BYTES = 4 * 1024;
    private static final int MAX_SLICE_BYTES = 256 * 1024;
    /** Of the time for which a peer may seem to take nothing. */
    private static final int SLICE_SHARE = 16;
    /** What room in the send buffer swallows at once says nothing of the peer: only many slices do. */
    private static final int SLICES_TO_GROW = 16;
    /** On a virtual thread no call waits for more than some room. */
    private static final int VIRTUAL_SLICE_BYTES = 1024 * 1024;
    /** What a full socket is given by write(2), so that a virtual thread parks until there is room again. */
    private static final int PARKING_BLOCK_BYTES = 16 * 1024;

    private final BioEndPoint endPoint;
    private final BioConnector connector;
    private final ContentWriter writer;
    private final LongAdder writtenBytes;
    private volatile boolean queued;
    private volatile int bytesInCall;
    private int sliceBytes;
    private int bytesOfSlices;
    private long sentBytes;

    BlockingWrite(BioEndPoint endPoint, BioConnector connector) {
        this.connector = connector;
        this.endPoint = endPoint;
        ContentWriter.Factory writers = connector.contentWriters();
        this.writer = writers.newContentWriter(connector.getByteBufferPool());
        this.writtenBytes = WriteStrategy.writtenBytes(writers, connector.getTransferStatistics());
        this.sliceBytes = connector.isVirtual() ? VIRTUAL_SLICE_BYTES : FIRST_SLICE_BYTES;
    }

    long sentBytes() {
        return sentBytes;
    }

    /** Bytes of the last blocking call: while it lasts, the peer may have taken any number of them. */
    int bytesInCall() {
        return bytesInCall;
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
        try {
            boolean together = transfer.beginsWith(buffers, token);
            write(buffers, 0, together ? token + 1 : token, token);
            transfer(transfer);
        } catch (IOException x) {
            transfer.onFailure(x);
            throw x;
        }
        write(buffers, token + 1, buffers.length);
    }

    /** Writes the buffers from one index to another. */
    void write(ByteBuffer[] buffers, int from, int to) throws IOException {
        write(buffers, from, to, to);
    }

    /** Writes the buffers from one index to another, and of those from {@code least} on what leaves with the others. */
    private void write(ByteBuffer[] buffers, int from, int to, int least) throws IOException {
        int first = from;
        while (true) {
            while (first < to && !buffers[first].hasRemaining()) {
                first++;
            }
            if (first >= least) {
                return;
            }
            int slice = slice(buffers, first, to);
            long begin = begin(slice);
            long written = SlicedWriter.write(writer, endPoint.getChannel(), buffers, first, to, slice);
            writtenBytes.add(written);
            onSent(written);
            end((int) written, begin);
        }
    }

    private int slice(ByteBuffer[] buffers, int from, int to) {
        int bytes = 0;
        for (int i = from; i < to && bytes < sliceBytes; i++) {
            bytes += Math.min(buffers[i].remaining(), sliceBytes - bytes);
        }
        return bytes;
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
                connector.getTransferPermits().release();
            }
        }
    }

    private void acquireTurn() throws IOException {
        queued = true;
        boolean acquired = connector.getTransferPermits().acquire(this, endPoint::isOpen);
        queued = false;
        if (!acquired) {
            throw new EofException("closed while waiting for a turn");
        }
        endPoint.notIdle();
    }

    /** Ends a wait for a turn, after the end point was closed. */
    void cancel() {
        connector.getTransferPermits().cancel(this);
    }

    private void turn(FileRegion region, int bytes) throws IOException {
        int end = region.remaining() - Math.min(bytes, region.remaining());
        while (region.remaining() > end) {
            int slice = Math.min(sliceBytes, region.remaining() - end);
            long begin = begin(slice);
            int sent = region.transferTo(endPoint.getChannel(), slice);
            if (sent > 0) {
                endPoint.getTransferStatistics().onTransferred(sent);
                onSent(sent);
                end(sent, begin);
            } else {
                writeBlock(region, region.remaining() - end);
            }
        }
    }

    private long begin(int slice) {
        if (connector.isVirtual()) {
            return 0;
        }
        bytesInCall = slice;
        return NanoTime.now();
    }

    private void end(int bytes, long begin) {
        if (!connector.isVirtual()) {
            adaptSlice(bytes, NanoTime.elapsed(begin, NanoTime.now()));
        }
    }

    private void adaptSlice(int bytes, long nanos) {
        long most = mostNanos();
        if (nanos > most) {
            sliceBytes = (int) Math.max(MIN_SLICE_BYTES, Math.min(sliceBytes, bytes * ((double) most / nanos)));
            bytesOfSlices = 0;
        } else if (sliceBytes < MAX_SLICE_BYTES) {
            bytesOfSlices += bytes;
            if (bytesOfSlices >= SLICES_TO_GROW * sliceBytes) {
                sliceBytes = Math.min(MAX_SLICE_BYTES, 2 * sliceBytes);
                bytesOfSlices = 0;
            }
        }
    }

    private long mostNanos() {
        long grace = connector.getSlowPeerGraceMillis();
        long idleTimeout = endPoint.getIdleTimeout();
        long millis = Math.min(grace > 0 ? grace : Long.MAX_VALUE, idleTimeout > 0 ? idleTimeout : Long.MAX_VALUE);
        return TimeUnit.MILLISECONDS.toNanos(millis) / SLICE_SHARE;
    }

    // Reading on a virtual thread makes the JDK switch the socket to non-blocking for good. From then on transferTo
    // answers 0 for a full socket, and only read and write wait.
    private void writeBlock(FileRegion region, int most) throws IOException {
        RetainableByteBuffer.Mutable block = connector.getByteBufferPool().acquire(PARKING_BLOCK_BYTES, true);
        try {
            ByteBuffer buffer = block.getByteBuffer();
            buffer.clear().limit(Math.min(PARKING_BLOCK_BYTES, most));
            int read = region.read(buffer);
            buffer.flip();
            while (buffer.hasRemaining()) {
                int written = endPoint.getChannel().write(buffer);
                endPoint.getTransferStatistics().onRegionCopied(written);
                onSent(written);
            }
            region.advance(read);
        } finally {
            block.release();
        }
    }
}
