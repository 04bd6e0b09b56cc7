package dev.millrace.connector;

import dev.millrace.transfer.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;

/**
 * The writing side of a blocking connection. Writes until everything is written, slice by slice: each that the peer took
 * counts as activity. Which thread does so is for {@link WriteDuty} to say.
 *
 * <p>One write at a time, as Jetty's flusher has it.
 */
final class BlockingWrite {
    /**
     * A blocking call tells of no progress until it returns. So slices follow the pace of the peer: each takes a small
     * part of the time for which a peer may seem to take nothing. Large ones spare system calls. The first is about
     * what the send buffer of a new connection hides in any case.
     */
    private static final int FIRST_SLICE_BYTES = 32 * 1024;

    private static final int MIN_SLICE_BYTES = 4 * 1024;
    private static final int MAX_SLICE_BYTES = 256 * 1024;
    /** A call is to take one in so many of the time for which a peer may seem to take nothing. */
    private static final int SLICE_SHARE = 16;

    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** What room in the send buffer swallows at once says nothing of the peer: only many slices do. */
    private static final int SLICES_TO_GROW = 16;
    /** On a virtual thread a call returns as soon as there was some room: no slice hides what the peer takes. */
    private static final int VIRTUAL_SLICE_BYTES = 1024 * 1024;
    /** What a full socket is given by write(2), so that a virtual thread parks until there is room again. */
    private static final int PARKING_BLOCK_BYTES = 16 * 1024;

    private final MillraceEndPoint endPoint;
    private final BioResources resources;
    private final WriteDuty duty;
    // Null on platform threads.
    private final @Nullable CarrierTurn carrier;
    private volatile boolean queued;
    // From here on no memory is read that was lent for the write, but a file, for whose disk the thread may wait. It
    // stays after a failure, for there is no other write.
    private volatile boolean sendsFile;
    private volatile @Nullable FileRegion announced;
    private boolean interrupted;
    private volatile int bytesInCall;
    private int sliceBytes;
    private int bytesAtThisSize;

    BlockingWrite(MillraceEndPoint endPoint, BioResources resources, WriteDuty duty, @Nullable CarrierTurn carrier) {
        this.endPoint = endPoint;
        this.resources = resources;
        this.duty = duty;
        this.carrier = carrier;
        this.sliceBytes = carrier != null ? VIRTUAL_SLICE_BYTES : FIRST_SLICE_BYTES;
    }

    /** Bytes of the last blocking call: while it lasts, the peer may have taken any number of them. */
    int bytesInCall() {
        return bytesInCall;
    }

    /** Whether a transfer waits for its turn, or a write for its thread: then it is this server that makes the peer wait. */
    boolean isQueued() {
        return queued || duty.awaitsThread();
    }

    /** As {@link WriteDuty#begin}; {@link #end} follows. */
    @Nullable BlockedWriteEvent begin() throws EofException {
        duty.begin();
        // The interrupt is meant for the application, as on a selector connector; here it would close the channel.
        interrupted = Thread.interrupted();
        return MillraceEndPoint.isRecorded() ? BlockedWriteEvent.begun() : null;
    }

    void end(@Nullable BlockedWriteEvent event) {
        boolean wasInterrupted = interrupted;
        duty.end();
        if (event != null) {
            event.ended(endPoint);
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Moves the buffers to their ends, whose views have been written; not when the connection has ended meanwhile. */
    void skip(ByteBuffer... buffers) throws EofException {
        if (endPoint.isOutputShutdown()) {
            throw new EofException("connection was closed");
        }
        for (ByteBuffer buffer : buffers) {
            buffer.position(buffer.limit());
        }
    }

    /** Ends a wait for a turn, after the end point was closed. */
    void endWait() {
        resources.transferPermits().cancel(this);
    }

    /**
     * Writes what the socket takes at once. No thread may read meanwhile, or begin to. A virtual thread whose turn is over parks before this
     * returns. It still counts as writing then: who cancels would spin for it otherwise.
     *
     * @return whether it took all
     */
    boolean writeAtOnce(ByteBuffer... buffers) throws IOException {
        SocketChannel channel = endPoint.getChannel();
        BlockedWriteEvent event = begin();
        try {
            channel.configureBlocking(false);
            boolean written;
            try {
                written = writeSome(buffers);
            } finally {
                channel.configureBlocking(true);
            }
            if (carrier != null) {
                carrier.onProgress();
            }
            return written;
        } catch (IOException x) {
            throw new EofException(x);
        } finally {
            end(event);
        }
    }

    private boolean writeSome(ByteBuffer... buffers) throws EofException {
        long before;
        do {
            before = endPoint.getSentBytes();
            if (endPoint.write(buffers, 0, buffers.length)) {
                return true;
            }
        } while (endPoint.getSentBytes() > before);
        return false;
    }

    void announce(FileRegion region) {
        if (announced != null) {
            announced.withdrawn();
        }
        announced = region;
    }

    void withdraw(FileRegion region) {
        if (announced == region) {
            announced = null;
            region.withdrawn();
        }
    }

    boolean isTransfer() {
        return announced != null;
    }

    /** Writes the buffers, and sends the announced region where its token stands among them. */
    void write(ByteBuffer... buffers) throws IOException {
        FileRegion region = announced;
        int token = region == null ? -1 : region.indexIn(buffers);
        if (region == null || token < 0) {
            write(buffers, 0, buffers.length, buffers.length);
            return;
        }
        try {
            writeHeader(region, buffers, token);
            // A region that has left whole with the header has had a turn too, for which nobody need wait.
            int turnBytes = region.remaining() == 0 ? 0 : region.ownThreadTurnBytes();
            sendsFile = true;
            do {
                awaitTurn(turnBytes);
                try {
                    region.onTurn();
                    send(region, turnBytes == 0 ? 0 : Math.max(0, region.remaining() - turnBytes));
                } finally {
                    if (turnBytes > 0) {
                        resources.transferPermits().release();
                    }
                }
            } while (region.remaining() > 0);
            endFile();
        } catch (IOException x) {
            region.failed(x);
            throw x;
        }
        write(buffers, token + 1, buffers.length, buffers.length);
    }

    // And the token with it, where that leaves from its mapping.
    private void writeHeader(FileRegion region, ByteBuffer[] buffers, int token) throws IOException {
        boolean leavesWithHeader = region.leavesWithHeader(buffers, token);
        // A thread that reads the mapping itself does not leave its carrier for that.
        CarrierTurn leaving = leavesWithHeader ? null : carrier;
        if (leaving != null) {
            leaving.lookAt(region);
        }
        // The first look at the file may wait for the disk, too, and reads no lent memory.
        sendsFile = true;
        if (leaving != null && leaving.mayAwaitDisk()) {
            leaving.callElsewhere(resources.threads(), () -> {
                region.beforeFirst(false);
                return 0;
            });
        } else {
            region.beforeFirst(false);
        }
        endFile();
        try {
            write(buffers, 0, leavesWithHeader ? token + 1 : token, token);
        } catch (IOException x) {
            // To the system, a page of the mapping that cannot be read is an address that does not exist.
            throw leavesWithHeader ? region.failureOf(x) : x;
        }
        region.advance(0);
    }

    // Either this thread sees that the write was given up, or the one that gives it up sees this one and waits.
    private void endFile() throws EofException {
        sendsFile = false;
        if (duty.isCancelled()) {
            throw new EofException("write was cancelled");
        }
    }

    /**
     * As {@link WriteDuty#cancel}. When this returns, no thread reads memory that was lent for the write, nor moves its buffers. They may
     * be another connection's from then on.
     */
    @Nullable Callback cancel(Throwable cause) {
        Callback callback = duty.cancel(cause);
        // TLS writes from buffers of its own, and has whoever cancels wait until nobody reads the content any more.
        if (!(endPoint.getConnection() instanceof SslConnection)) {
            // The close has woken it, so that it is about to leave: for a channel that is closed, no call waits.
            Waiting.until(() -> !duty.isWriting() || sendsFile);
        }
        return callback;
    }

    /**
     * Writes the buffers from one index to another.
     *
     * @param optionalFrom index of the first buffer that need not be written: from there on, bytes leave only if the same call takes them
     */
    void write(ByteBuffer[] buffers, int from, int to, int optionalFrom) throws IOException {
        int first = from;
        while (true) {
            first = GatherWriter.skipEmpty(buffers, first, to);
            if (first >= optionalFrom) {
                return;
            }
            int slice = slice(buffers, first, to);
            long begin = beginCall(slice);
            long written = endPoint.contentWriter.write(endPoint.getChannel(), buffers, first, to, slice);
            endPoint.getTransferStatistics().onWritten(written);
            endPoint.onSent(written);
            endCall((int) written, begin);
        }
    }

    private int slice(ByteBuffer[] buffers, int from, int to) {
        int bytes = 0;
        for (int i = from; i < to && bytes < sliceBytes; i++) {
            bytes += Math.min(buffers[i].remaining(), sliceBytes - bytes);
        }
        return bytes;
    }

    private void awaitTurn(int turnBytes) throws IOException {
        if (turnBytes == 0) {
            return;
        }
        queued = true;
        boolean acquired = resources.transferPermits().acquire(this, endPoint::isOpen);
        queued = false;
        if (!acquired) {
            throw new EofException("closed while waiting for a turn");
        }
        endPoint.notIdle();
    }

    /** Sends the region until so many of its bytes are left. */
    private void send(FileRegion region, int left) throws IOException {
        while (region.remaining() > left) {
            int slice = Math.min(sliceBytes, region.remaining() - left);
            long begin = beginCall(slice);
            lookAfterWait(region);
            int sent;
            if (carrier == null) {
                sent = region.transferTo(endPoint.getChannel(), slice);
            } else if (carrier.mayAwaitDisk()) {
                sent = carrier.callElsewhere(
                        resources.threads(), () -> region.transferTo(endPoint.getChannel(), slice));
            } else {
                long called = NanoTime.now();
                sent = region.transferTo(endPoint.getChannel(), slice);
                carrier.onFileUsedSince(called);
            }
            if (sent > 0) {
                endPoint.onSent(sent);
                endCall(sent, begin);
            } else {
                writeBlock(region, region.remaining() - left);
            }
        }
    }

    // Reading on a virtual thread makes the JDK switch the socket to non-blocking for good. From then on transferTo
    // answers 0 for a full socket, and only read and write wait.
    private void writeBlock(FileRegion region, int most) throws IOException {
        RetainableByteBuffer.Mutable block = resources.bufferPool().acquire(PARKING_BLOCK_BYTES, true);
        try {
            ByteBuffer buffer = block.getByteBuffer();
            buffer.clear().limit(Math.min(PARKING_BLOCK_BYTES, most));
            lookAfterWait(region);
            int read = carrier == null ? region.read(buffer) : carrier.read(resources.threads(), region, buffer);
            buffer.flip();
            while (buffer.hasRemaining()) {
                int written = endPoint.getChannel().write(buffer);
                endPoint.getTransferStatistics().onRegionCopied(written);
                endPoint.onSent(written);
            }
            region.advance(read);
        } finally {
            block.release();
        }
    }

    // The mapping is looked at, which whoever gives the write up must wait for.
    private void lookAfterWait(FileRegion region) throws EofException {
        if (carrier != null && carrier.hasTakenLong()) {
            endFile();
            carrier.lookAt(region);
            sendsFile = true;
        }
    }

    /** Reads what TLS encrypts next, before it writes that here. Whoever gives its write up waits for this. */
    int read(FileRegion region, ByteBuffer target) throws IOException {
        if (carrier == null) {
            return region.read(target);
        }
        if (region.sent() == 0 || carrier.hasTakenLong()) {
            carrier.lookAt(region);
        }
        return carrier.read(resources.threads(), region, target);
    }

    private long beginCall(int slice) {
        if (carrier != null) {
            return 0;
        }
        bytesInCall = slice;
        return NanoTime.now();
    }

    private void endCall(int bytes, long begin) {
        if (carrier != null) {
            carrier.onProgress();
        } else {
            adaptSlice(bytes, NanoTime.elapsed(begin, NanoTime.now()));
        }
    }

    private void adaptSlice(int bytes, long nanos) {
        // A quick call is no reason to look what the limits are.
        long most = nanos <= QUICK_NANOS ? QUICK_NANOS : mostCallNanos();
        if (nanos > most) {
            sliceBytes = (int) Math.max(MIN_SLICE_BYTES, Math.min(sliceBytes, bytes * ((double) most / nanos)));
            bytesAtThisSize = 0;
        } else if (sliceBytes < MAX_SLICE_BYTES) {
            bytesAtThisSize += bytes;
            if (bytesAtThisSize >= SLICES_TO_GROW * sliceBytes) {
                sliceBytes = Math.min(MAX_SLICE_BYTES, 2 * sliceBytes);
                bytesAtThisSize = 0;
            }
        }
    }

    private long mostCallNanos() {
        long grace = resources.slowPeerGraceMillis().getAsLong();
        long idleTimeout = endPoint.getIdleTimeout();
        // Without a grace a peer is judged at each look: a call may then hide as little as it can.
        long millis = Math.min(grace, idleTimeout > 0 ? idleTimeout : Long.MAX_VALUE);
        return TimeUnit.MILLISECONDS.toNanos(millis) / SLICE_SHARE;
    }
}
