package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import dev.millrace.limits.PeerRates;
import dev.millrace.transfer.FileFailedException;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferEndPoint;
import dev.millrace.transfer.TransferStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's connection of TLS, which encrypts as many records as there is content for, and writes them at once.
 *
 * <p>Jetty calls {@link #wrap} with room for one record, and {@link #networkFlush} right after it, both with its lock held. Each record
 * is made in Jetty's buffer. Before the next one, it is moved to {@link TlsMemory}. All leave by one write. What the socket does
 * not take is shown in place of Jetty's buffer ({@link TlsBuffer}). It waits for the peer as any output does.
 */
final class TlsConnection extends SslConnection {
    private static final TransferStatistics UNCOUNTED = new TransferStatistics();
    private static final ByteBuffer[] NOTHING = {};

    private final TlsBuffer.Pool buffers;
    private final TlsPace pace;
    // These four change with Jetty's lock held. Records wait for networkFlush, with room for that in Jetty's buffer.
    private @Nullable ByteBuffer records;
    private TlsMemory recordsMemory;
    private volatile @Nullable TlsBuffer rest;
    private long uncountedBytes;
    private volatile boolean established;

    private TlsConnection(
            SslConnectionFactory factory,
            TlsBuffer.Pool buffers,
            TlsMemory memory,
            Executor executor,
            EndPoint endPoint,
            SSLEngine engine) {
        super(
                buffers,
                executor,
                factory.getSslContextFactory(),
                endPoint,
                engine,
                factory.isDirectBuffersForEncryption(),
                factory.isDirectBuffersForDecryption());
        this.buffers = buffers;
        pace = new TlsPace(memory);
        recordsMemory = memory;
    }

    static TlsConnection of(
            SslConnectionFactory factory, TlsMemory memory, Connector connector, EndPoint endPoint, SSLEngine engine) {
        TlsBuffer.Pool buffers =
                new TlsBuffer.Pool(connector.getByteBufferPool(), memory, MillraceEndPoint.socket(endPoint));
        return new TlsConnection(factory, buffers, memory, TlsExecutor.of(connector, endPoint), endPoint, engine);
    }

    // Called by Jetty's constructor.
    @Override
    protected SslEndPoint newSslEndPoint() {
        return new FileEndPoint();
    }

    @Override
    public void onClose(@Nullable Throwable cause) {
        try {
            super.onClose(cause);
        } finally {
            buffers.end();
        }
    }

    @Override
    public long getBytesOut() {
        return super.getBytesOut() + uncountedBytes;
    }

    @Override
    protected SSLEngineResult wrap(SSLEngine engine, ByteBuffer[] input, ByteBuffer output) throws SSLException {
        endRest();
        if (BufferUtil.isEmpty(input) && hasNothingToSay(engine)) {
            // The JDK makes a record without content. Jetty asks for it whenever the rest of others has been written.
            return new SSLEngineResult(Status.OK, HandshakeStatus.NOT_HANDSHAKING, 0, 0);
        }
        SSLEngineResult result = super.wrap(engine, input, output);
        boolean goesOn = TlsContent.goesOn(result) && result.bytesConsumed() > 0 && !BufferUtil.isEmpty(input);
        recordsMemory = pace.memory();
        return goesOn && recordsMemory.enter() ? wrapMore(engine, input, output, result) : result;
    }

    @Override
    protected SSLEngineResult unwrap(SSLEngine engine, ByteBuffer input, ByteBuffer output) throws SSLException {
        return TlsState.checkProgress(this, super.unwrap(engine, input, output), buffers, output);
    }

    private boolean hasNothingToSay(SSLEngine engine) {
        return isEstablished()
                && engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING
                && !engine.isOutboundDone();
    }

    /** Whether the first handshake is over: what it computes may take milliseconds. */
    boolean isEstablished() {
        if (!established) {
            established = PeerRates.isEstablished(this);
        }
        return established;
    }

    /** Whether HTTP waits for bytes of the peer, and TLS has nothing to write for which it needs some itself. */
    boolean isOnlyRead() {
        return isEstablished()
                && getSslEndPoint().isFillInterested()
                && !getSslEndPoint().getWriteFlusher().isPending();
    }

    private SSLEngineResult wrapMore(SSLEngine engine, ByteBuffer[] input, ByteBuffer output, SSLEngineResult first)
            throws SSLException {
        ByteBuffer all = null;
        try {
            all = recordsMemory.take();
            SSLEngineResult result = all == null ? first : new TlsContent(input).wrapMore(engine, output, first, all);
            records = all;
            return result;
        } finally {
            if (records == null) {
                recordsMemory.leave(all);
            }
        }
    }

    @Override
    protected boolean networkFlush(ByteBuffer output) throws IOException {
        buffers.onFlush(output);
        ByteBuffer more = records;
        if (more == null) {
            boolean flushed = super.networkFlush(output);
            endRest();
            return flushed;
        }
        records = null;
        try {
            return flushRecords(output, more);
        } finally {
            if (rest == null) {
                recordsMemory.leave();
            }
        }
    }

    private void endRest() {
        if (rest != null && rest.endRest()) {
            rest = null;
        }
    }

    private boolean flushRecords(ByteBuffer last, ByteBuffer all) throws IOException {
        TlsBuffer owner = Objects.requireNonNull(buffers.of(last), "Jetty shows its buffer");
        // Jetty counts the bytes of its own buffer.
        int counted = last.remaining();
        try {
            int bytes = all.put(last).flip().remaining();
            long begin = NanoTime.now();
            boolean flushed = super.networkFlush(all);
            pace.onWrite(!all.hasRemaining(), begin);
            uncountedBytes += bytes - all.remaining() - counted;
            if (all.hasRemaining()) {
                owner.show(BufferUtil.toArray(all), recordsMemory);
                rest = owner;
            }
            return flushed;
        } finally {
            recordsMemory.giveBack(all);
        }
    }

    /** Sends files: it reads what it encrypts next, and keeps none of it. */
    private final class FileEndPoint extends SslEndPoint implements TransferEndPoint, HoldingEndPoint {
        private volatile @Nullable Http2Turns turns;
        private volatile @Nullable FileRegion announced;
        private volatile boolean behindMalformed;
        private volatile boolean cancelled;
        private volatile boolean reads;

        @Override
        public void announce(FileRegion region) {
            announced = region;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // As TransferEndPoint says.
        public void withdraw(FileRegion region) {
            if (announced == region) {
                announced = null;
            }
        }

        @Override
        public TransferStatistics getTransferStatistics() {
            return MillraceEndPoint.socket(this) instanceof TransferEndPoint encrypted
                    ? encrypted.getTransferStatistics()
                    : UNCOUNTED;
        }

        @Override
        public int fill(ByteBuffer buffer) throws IOException {
            // A buffer without room is Jetty's own, by which TLS reads what it needs of the peer to write on.
            if (buffer.capacity() > 0) {
                if (behindMalformed && JettyInternals.parserOf(getConnection()) != null) {
                    return 0;
                }
                // This comes before the lock of TLS is taken, which the other thread may need.
                if (MillraceEndPoint.socket(this) instanceof MillraceEndPoint ended && ended.isInputShutdown()) {
                    ended.endOfInput(getConnection());
                }
                Http2Turns current = turns;
                if (current != null) {
                    current.beforeFill();
                    int filled = super.fill(buffer);
                    current.afterFill(filled);
                    return filled;
                }
            }
            return super.fill(buffer);
        }

        @Override
        public void setTurns(Http2Turns turns) {
            this.turns = turns;
        }

        @Override
        public @Nullable Http2Turns getTurns() {
            return turns;
        }

        @Override
        public void write(Callback callback, ByteBuffer... buffers) {
            Http2Turns current = turns;
            if (current == null) {
                super.write(callback, buffers);
            } else {
                current.write(callback, buffers);
            }
        }

        @Override
        public @Nullable Callback cancelWrite(Throwable cause) {
            // A thread spins in there until the one in flush() has left it. Nothing is written here any more.
            cancelled = true;
            Callback pending;
            try {
                TlsState.beforeCancel(this, cause);
            } finally {
                // A slow disk may keep that one. This waits for its read, and spins no longer than it takes to encrypt
                // that.
                Waiting.until(() -> !reads);
                WriteDuty.awaitFlushed(getWriteFlusher());
                pending = super.cancelWrite(cause);
            }
            return pending;
        }

        @Override
        public void doClose() {
            TlsState.beforeClose(this);
            super.doClose();
        }

        @Override
        public boolean flush(ByteBuffer... buffers) throws IOException {
            if (!behindMalformed && JettyInternals.answersMalformedRequest(getConnection())) {
                beginAnswer(buffers);
            }
            FileRegion region = announced;
            int token = region == null ? -1 : region.indexIn(buffers);
            if (region == null || token < 0) {
                return super.flush(buffers);
            }
            boolean flushed = false;
            try {
                while (region.remaining() > 0) {
                    // Nothing is read for a socket that is full.
                    flushed = !cancelled && (rest == null || super.flush(NOTHING)) && flushPart(buffers, token, region);
                    if (!flushed) {
                        return false;
                    }
                }
            } catch (IOException x) {
                // As Jetty does when it cannot encrypt.
                close(x);
                tellFailure(x);
                throw x instanceof FileFailedException ? new EofException(x) : x;
            }
            return (flushed && BufferUtil.isEmpty(buffers)) || super.flush(buffers);
        }

        // The handling thread may need TLS's lock, which is not taken yet. TLS itself flushes nothing with it held.
        private void beginAnswer(ByteBuffer... buffers) {
            if (BufferUtil.isEmpty(buffers)) {
                return;
            }
            behindMalformed = true;
            if (MillraceEndPoint.socket(this) instanceof MillraceEndPoint encrypted) {
                encrypted.letHandlingThreadLeave();
            }
        }

        // As without TLS: the handling thread asks for more during the answer. What then came would close it.
        @Override
        protected void needsFillInterest() {
            if (!JettyInternals.answersMalformedRequest(getConnection())) {
                buffers.handOver(super::needsFillInterest);
            }
        }

        @Override
        protected void onIncompleteFlush() {
            // Who has given the write up ends it. To go on would come here again, each time deeper, until then.
            // A blocking write has ended by then.
            if (!cancelled || TlsState.isBlocking(this)) {
                buffers.handOver(super::onIncompleteFlush);
            }
        }

        @Override
        public void doShutdownOutput() {
            buffers.endOutput(super::doShutdownOutput);
        }

        private boolean flushPart(ByteBuffer[] buffers, int token, FileRegion region) throws IOException {
            TlsMemory contentMemory = pace.memory();
            if (!contentMemory.enter()) {
                return flushRecord(buffers, token, region);
            }
            ByteBuffer bytes = null;
            try {
                bytes = contentMemory.takeForContent();
                return bytes == null ? flushRecord(buffers, token, region) : flush(buffers, token, region, bytes);
            } finally {
                contentMemory.leave(bytes);
            }
        }

        private boolean flushRecord(ByteBuffer[] buffers, int token, FileRegion region) throws IOException {
            var block = TlsConnection.this.buffers.getWrapped().acquire(TlsMemory.RECORD_BYTES, true);
            try {
                ByteBuffer bytes = block.getByteBuffer().clear().limit(TlsMemory.RECORD_BYTES);
                return flush(buffers, token, region, bytes);
            } finally {
                block.release();
            }
        }

        private boolean flush(ByteBuffer[] buffers, int token, FileRegion region, ByteBuffer bytes) throws IOException {
            reads = true;
            try {
                // Whoever gives the write up sees that this reads, or this sees that it was given up.
                if (cancelled) {
                    return false;
                }
                if (MillraceEndPoint.socket(this) instanceof BioEndPoint encrypted) {
                    encrypted.read(region, bytes);
                } else {
                    region.read(bytes);
                }
            } finally {
                reads = false;
            }
            ByteBuffer part = bytes.flip().slice();
            ByteBuffer[] parts = Arrays.copyOf(buffers, token + 1);
            parts[token] = part;
            try {
                return super.flush(parts);
            } finally {
                region.advance(part.position());
            }
        }
    }
}
