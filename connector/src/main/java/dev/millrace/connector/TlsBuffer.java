package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.stream.Stream;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.io.WriteFlusher;
import org.jspecify.annotations.Nullable;

/**
 * A pooled buffer of a connection of TLS, which can show other bytes in place of its own. These are the rest of many records,
 * which the socket did not take.
 *
 * <p>Jetty may give a buffer back while a thread is about to write from it. {@link #release} keeps two kinds from the pool. One
 * was cleared although it had bytes to write ({@link #clear}); it goes back when the connection has closed. The other is output of TLS
 * ({@link Pool#onFlush}). It is kept while a write goes on below, or a thread is about to begin one ({@link Pool#handOver}).
 *
 * <p>Guarded by the connection's lock.
 */
final class TlsBuffer extends RetainableByteBuffer.Wrapper {
    private final Pool pool;
    // What the connection has acquired before this.
    private @Nullable TlsBuffer before;
    private @Nullable RetainableByteBuffer rest;
    // Emptied while it had bytes to write, which a thread may be about to write still.
    private boolean discarded;
    // TLS has written from it. A connection also has buffers that it reads into.
    private boolean isOutput;

    private TlsBuffer(RetainableByteBuffer own, Pool pool) {
        super(own);
        this.pool = pool;
    }

    /** The buffers of one connection. It knows them all, for Jetty does not say which one it shows. */
    static final class Pool extends ByteBufferPool.Wrapper {
        private static final AtomicIntegerFieldUpdater<Pool> HAND_OVERS =
                AtomicIntegerFieldUpdater.newUpdater(Pool.class, "handOvers");

        private final TlsMemory memory;
        private final @Nullable WriteFlusher below;
        // An idle connection has none, and needs no list and no object that counts: there are many.
        private @Nullable TlsBuffer acquired;
        /** Threads that may have a buffer to write from, of which the flusher below has not heard yet. */
        private volatile int handOvers;
        // Changes of these two are guarded by this. The connection's lock is held as well when buffers are kept.
        private volatile List<TlsBuffer> kept = List.of();
        private boolean ended;
        private volatile boolean endsOutput;

        /** @param socket what the connection's bytes end up at */
        Pool(ByteBufferPool wrapped, TlsMemory memory, EndPoint socket) {
            super(wrapped);
            this.memory = memory;
            below = socket instanceof AbstractEndPoint endPoint ? endPoint.getWriteFlusher() : null;
        }

        @Override
        public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
            endWrites(true);
            TlsBuffer buffer = new TlsBuffer(super.acquire(size, direct), this);
            buffer.before = acquired;
            acquired = buffer;
            return buffer;
        }

        private void remove(TlsBuffer released) {
            TlsBuffer after = null;
            for (TlsBuffer buffer = acquired; buffer != null; buffer = buffer.before) {
                if (buffer != released) {
                    after = buffer;
                } else if (after == null) {
                    acquired = buffer.before;
                } else {
                    after.before = buffer.before;
                }
            }
        }

        /** @return the buffer that shows these bytes; null when it is none of this pool */
        @SuppressWarnings("ReferenceEquality") // Another buffer with equal bytes is another one.
        @Nullable TlsBuffer of(ByteBuffer shown) {
            for (TlsBuffer buffer = acquired; buffer != null; buffer = buffer.before) {
                if (buffer.getByteBuffer() == shown) {
                    return buffer;
                }
            }
            return null;
        }

        /** Notes that the buffer which shows these bytes is written from. */
        void onFlush(ByteBuffer shown) {
            TlsBuffer output = of(shown);
            if (output != null && !output.isOutput) {
                output.isOutput = true;
                // Jetty encrypts anew only while nobody is about to write what was there before, until its output ends.
                endWrites(endsOutput);
            }
        }

        /**
         * Runs what takes the output with the connection's lock held, and writes from it after that. No other connection is to
         * have it in between.
         */
        void handOver(Runnable writing) {
            HAND_OVERS.incrementAndGet(this);
            try {
                writing.run();
            } finally {
                HAND_OVERS.decrementAndGet(this);
                endWrites(true);
            }
        }

        /** As {@link #handOver}, by the thread that ends the output. Jetty lets it take what another is about to write. */
        void endOutput(Runnable ending) {
            endsOutput = true;
            handOver(ending);
        }

        // In this order: what is handed over while this looks is seen below.
        private boolean isWriting() {
            return handOvers > 0 || isWritingBelow();
        }

        private boolean isWritingBelow() {
            return below != null && !JettyInternals.isIdle(below);
        }

        /** @return whether {@link #end} gives the buffer back; when that has been called, the caller does */
        private synchronized boolean keep(TlsBuffer buffer) {
            if (!ended) {
                remove(buffer);
                kept = Stream.concat(kept.stream(), Stream.of(buffer)).toList();
            }
            return !ended;
        }

        // A peer may cause many such writes on one connection.
        private void endWrites(boolean mayBeHandedOver) {
            if (kept.isEmpty()) {
                return;
            }
            List<TlsBuffer> written;
            synchronized (this) {
                // Asked with this held: a buffer that another thread keeps meanwhile may be written from.
                if (ended || (mayBeHandedOver ? isWriting() : isWritingBelow())) {
                    return;
                }
                written = kept.stream().filter(buffer -> !buffer.discarded).toList();
                kept = kept.stream().filter(buffer -> buffer.discarded).toList();
            }
            written.forEach(TlsBuffer::giveBack);
        }

        /** Gives back what was discarded, after the channel was closed: nothing is written from it any more. */
        void end() {
            List<TlsBuffer> last;
            synchronized (this) {
                ended = true;
                last = kept;
                kept = List.of();
            }
            last.forEach(TlsBuffer::giveBack);
        }
    }

    /**
     * Shows the rest of a batch from now on, until the rest is written or given up. {@link TlsMemory} counts its bytes until then.
     *
     * @param bytes owned by this from now on
     * @param batch where that of the batch was taken
     */
    void show(byte[] bytes, TlsMemory batch) {
        rest = RetainableByteBuffer.wrap(ByteBuffer.wrap(bytes));
        batch.keep(bytes.length);
    }

    /**
     * Shows its own bytes again, if the rest has been written.
     *
     * @return whether it does
     */
    boolean endRest() {
        if (rest != null && !rest.hasRemaining()) {
            int bytes = rest.capacity();
            rest = null;
            pool.memory.leave(bytes);
        }
        return rest == null;
    }

    @Override
    public RetainableByteBuffer getWrapped() {
        return rest == null ? super.getWrapped() : rest;
    }

    // Jetty does so when it ends, or gives a write up.
    @Override
    public void clear() {
        discarded = discarded || (rest == null && hasRemaining());
        super.clear();
    }

    @Override
    public boolean release() {
        if (rest != null) {
            rest.clear();
            endRest();
        }
        boolean mayBeWritten = discarded || (isOutput && pool.isWriting());
        if (mayBeWritten && pool.keep(this)) {
            return true;
        }
        boolean released = super.release();
        if (released) {
            pool.remove(this);
        }
        return released;
    }

    private void giveBack() {
        super.release();
    }
}
