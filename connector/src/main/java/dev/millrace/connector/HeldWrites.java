package dev.millrace.connector;

import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.util.ArrayUtil;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;

/**
 * Short writes of a connection of HTTP/2, copied and held, until they leave together: by one call, and in one record of TLS. A write
 * that is held is complete for its caller, as one that lies in the socket's buffer is.
 *
 * <p>Which thread writes:
 * <ul>
 *   <li>Jetty's flusher calls {@link #write} in the thread of whoever has something to say, or in the one that has completed its
 *       last write.
 *   <li>What is held is released by the thread whose turn ends ({@link Http2Turns}), by one that reads, or by the scheduler's.
 *   <li>The flusher's write that came meanwhile follows in the thread that completes that release, maybe a selector's. It follows in one
 *       of the executor's if its callback may block, or if the scheduler's thread has released.
 * </ul>
 *
 * <p>Thread-safe. Jetty's flusher has one write pending at a time; {@link #release} may be called beside it.
 */
final class HeldWrites {
    /** A longer write goes at once: what a call and a record cost is little beside it. */
    static final int MOST_BYTES = 4096;
    /** A record of TLS has no more. */
    private static final int CAPACITY = 16384;

    private final Writer socket;
    private final ByteBufferPool pool;
    private final Executor executor;
    // All guarded by this.
    private RetainableByteBuffer.@Nullable Mutable held;
    private boolean releasing;
    private int releasingThreads;
    private @Nullable Callback nextCallback;
    private ByteBuffer @Nullable [] nextBuffers;
    // Why what was held was not written: what comes behind it would be nonsense to the peer.
    private @Nullable Throwable loss;
    private boolean ended;

    /** Writes at once. As {@link org.eclipse.jetty.io.EndPoint#write}, of which one at a time may be pending. */
    interface Writer {
        void write(Callback callback, ByteBuffer... buffers);
    }

    /** @param executor runs at once what goes on behind a write that waited, and may block */
    HeldWrites(Writer socket, ByteBufferPool pool, Executor executor) {
        this.socket = socket;
        this.pool = pool;
        this.executor = executor;
    }

    /** Writes, behind what is held. The buffers are the caller's again when the callback is completed. */
    void write(boolean mayHold, Callback callback, ByteBuffer... buffers) {
        Joined joined = null;
        Throwable failure;
        boolean isHeld;
        synchronized (this) {
            if (releasing) {
                nextCallback = callback;
                nextBuffers = buffers;
                return;
            }
            failure = loss;
            isHeld = failure == null && mayHold && !ended && hold(buffers);
            if (!isHeld && held != null) {
                // Made before anything changes: there may be no memory for it.
                joined = new Joined(held, callback, buffers);
                held = null;
            }
        }
        if (failure != null) {
            callback.failed(failure);
        } else if (isHeld) {
            callback.succeeded();
        } else if (joined != null) {
            joined.write();
        } else {
            socket.write(callback, buffers);
        }
    }

    /** The write of what was held, and of what comes behind it. */
    private final class Joined extends Callback.Nested {
        private final ByteBuffer[] buffers;
        // Guarded by the writes. Null when it has been given back.
        private @Nullable RetainableByteBuffer before;

        private Joined(RetainableByteBuffer before, Callback callback, ByteBuffer[] behind) {
            super(callback);
            buffers = ArrayUtil.prependToArray(before.getByteBuffer(), behind, ByteBuffer.class);
            this.before = before;
        }

        @Override
        public void completed() {
            end(null);
        }

        private void write() {
            try {
                socket.write(this, buffers);
            } catch (Throwable x) {
                // The flusher is told by this. It may have been completed, and throw all the same.
                end(x);
                throw x;
            }
        }

        private void end(@Nullable Throwable failure) {
            RetainableByteBuffer written;
            synchronized (HeldWrites.this) {
                written = before;
                before = null;
                if (written != null && failure != null) {
                    loss = failure;
                }
            }
            if (written != null) {
                written.release();
            }
        }
    }

    private boolean hold(ByteBuffer[] buffers) {
        long bytes = BufferUtil.remaining(buffers);
        if (bytes > MOST_BYTES || (held != null && bytes > held.space())) {
            return false;
        }
        if (held == null) {
            try {
                held = pool.acquire(CAPACITY, true).asMutable();
            } catch (OutOfMemoryError x) {
                // No memory outside the heap: this one is written at once.
                return false;
            }
        }
        for (ByteBuffer buffer : buffers) {
            held.append(buffer);
        }
        return true;
    }

    /** Writes what is held. Does not wait; what the socket does not take leaves as any write does. */
    void release() {
        release(true);
    }

    /**
     * As {@link #release}, by a thread that many wait for. Another one writes what the flusher has asked for meanwhile: the flusher
     * then goes on for as long as others have something to write.
     */
    void releaseAlone() {
        release(false);
    }

    private void release(boolean goesOn) {
        Released released;
        synchronized (this) {
            // While a write of the flusher is pending nothing is held.
            if (held == null) {
                return;
            }
            // Made before anything changes: there may be no memory for it.
            released = new Released(held, goesOn);
            held = null;
            releasing = true;
            releasingThreads++;
        }
        try {
            socket.write(released, released.content.getByteBuffer());
        } catch (Throwable x) {
            // For want of memory as a rule. Nobody else would tell a write that waits for this one.
            released.failed(x);
            throw x;
        } finally {
            endRelease();
        }
    }

    /** The write of what was held. */
    private final class Released implements Callback {
        private final RetainableByteBuffer content;
        private final boolean goesOn;
        // Both guarded by the writes.
        private boolean isOver;
        private boolean isFollowed;

        private Released(RetainableByteBuffer content, boolean goesOn) {
            this.content = content;
            this.goesOn = goesOn;
        }

        @Override
        public void succeeded() {
            goOn(this, null);
        }

        @Override
        public void failed(Throwable failure) {
            goOn(this, failure);
        }

        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }
    }

    private synchronized void endRelease() {
        releasingThreads--;
    }

    /** Whether a thread writes what was held, or after it what the flusher has asked for. False while the rest waits for the peer. */
    synchronized boolean isReleasing() {
        return releasingThreads > 0;
    }

    /** The connection has ended: what is held cannot be written any more. */
    void end() {
        RetainableByteBuffer.Mutable lost;
        synchronized (this) {
            ended = true;
            lost = held;
            held = null;
        }
        if (lost != null) {
            lost.release();
        }
    }

    /** Writes what the flusher has asked for meanwhile. */
    private void goOn(Released written, @Nullable Throwable failure) {
        Callback callback;
        ByteBuffer[] buffers;
        synchronized (this) {
            if (written.isOver) {
                // It was completed, and threw all the same.
                return;
            }
            written.isOver = true;
            loss = failure;
            releasing = false;
            callback = nextCallback;
            buffers = nextBuffers;
            nextCallback = null;
            nextBuffers = null;
        }
        written.content.release();
        if (callback == null || buffers == null) {
            // A failure need not be told: the next write fails by it.
            return;
        }
        // This may be a selector's thread, for a write of what was held does not block. Who is told of a failure may.
        boolean goesOnHere = written.goesOn && callback.getInvocationType() == InvocationType.NON_BLOCKING;
        if (goesOnHere) {
            goOn(callback, buffers, failure);
        } else {
            goOnElsewhere(written, callback, buffers, failure);
        }
    }

    private void goOn(Callback callback, ByteBuffer[] buffers, @Nullable Throwable failure) {
        if (failure != null) {
            callback.failed(failure);
            return;
        }
        try {
            socket.write(callback, buffers);
        } catch (Throwable x) {
            // The thread that has asked for it is told by nothing else.
            callback.failed(x);
            throw x;
        }
    }

    private void goOnElsewhere(Released written, Callback callback, ByteBuffer[] buffers, @Nullable Throwable failure) {
        synchronized (this) {
            releasingThreads++;
        }
        try {
            executor.execute(() -> {
                if (takeWhatFollows(written)) {
                    try {
                        goOn(callback, buffers, failure);
                    } finally {
                        endRelease();
                    }
                }
            });
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            // Without a thread Jetty runs the task here, and a pool may keep it. One that has begun tells by itself.
            if (takeWhatFollows(written)) {
                endRelease();
                callback.failed(x);
            }
        }
    }

    private synchronized boolean takeWhatFollows(Released written) {
        boolean isFirst = !written.isFollowed;
        written.isFollowed = true;
        return isFirst;
    }
}
