package dev.millrace.connector;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A pooled buffer of a connection of TLS, which can show other bytes in place of its own. These are the rest of many records,
 * which the socket did not take. Guarded by the connection's lock.
 */
final class TlsBuffer extends RetainableByteBuffer.Wrapper {
    private final Pool pool;
    private @Nullable RetainableByteBuffer rest;

    private TlsBuffer(RetainableByteBuffer own, Pool pool) {
        super(own);
        this.pool = pool;
    }

    /** Of one connection: knows which buffers the connection has, for Jetty does not say which one it shows. */
    static final class Pool extends ByteBufferPool.Wrapper {
        private final TlsMemory memory;
        private final List<TlsBuffer> acquired = new ArrayList<>(2);

        Pool(ByteBufferPool wrapped, TlsMemory memory) {
            super(wrapped);
            this.memory = memory;
        }

        @Override
        public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
            TlsBuffer buffer = new TlsBuffer(super.acquire(size, direct), this);
            acquired.add(buffer);
            return buffer;
        }

        /** @return the buffer that shows these bytes; null when it is none of this pool */
        @SuppressWarnings("ReferenceEquality") // Another buffer with equal bytes is another one.
        @Nullable TlsBuffer of(ByteBuffer shown) {
            for (TlsBuffer buffer : acquired) {
                if (buffer.getByteBuffer() == shown) {
                    return buffer;
                }
            }
            return null;
        }
    }

    /**
     * Shows the rest of a batch from now on, until it is written or given up. Then the batch leaves {@link TlsMemory}.
     *
     * @param bytes owned by this from now on
     */
    void show(ByteBuffer bytes) {
        rest = RetainableByteBuffer.wrap(bytes);
    }

    /**
     * Shows its own bytes again, if the rest has been written.
     *
     * @return whether it does
     */
    boolean endRest() {
        if (rest != null && !rest.hasRemaining()) {
            rest = null;
            pool.memory.leave();
        }
        return rest == null;
    }

    @Override
    public RetainableByteBuffer getWrapped() {
        return rest == null ? super.getWrapped() : rest;
    }

    @Override
    public boolean release() {
        if (rest != null) {
            rest.clear();
            endRest();
        }
        boolean released = super.release();
        if (released) {
            pool.acquired.remove(this);
        }
        return released;
    }
}
