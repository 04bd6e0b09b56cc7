package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.FutureCallback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A write that throws together with what was held before it: for want of memory as a rule. */
class FailedHeldWritesTest {
    private final InternalError failure = new InternalError("meant to fail");
    private final ArrayByteBufferPool.Tracking pool = new ArrayByteBufferPool.Tracking();

    @AfterEach
    void leavesNothing() {
        assertEquals(0, pool.getLeaks().size(), pool::dumpLeaks);
    }

    private static ByteBuffer bytes() {
        return ByteBuffer.wrap(new byte[] {'a'});
    }

    private HeldWrites holding(HeldWrites.Writer socket, ByteBufferPool buffers) {
        HeldWrites held = new HeldWrites(socket, buffers, Runnable::run);
        held.write(true, Callback.NOOP, bytes());
        return held;
    }

    private void assertNextThrows(HeldWrites held) {
        assertSame(failure, assertThrows(InternalError.class, () -> held.write(false, Callback.NOOP, bytes())));
    }

    /** Peers would take what follows for a part of what is lost. */
    @Test
    void isTheLastWrite() {
        HeldWrites held = holding(
                (callback, buffers) -> {
                    throw failure;
                },
                pool);
        assertNextThrows(held);
        FutureCallback after = new FutureCallback();
        held.write(true, after, bytes());
        held.end();
        assertSame(failure, assertThrows(ExecutionException.class, after::get).getCause());
    }

    @Test
    void givesThemBackOnceThoughItWasComplete() {
        assertNextThrows(holding(
                (callback, buffers) -> {
                    callback.succeeded();
                    throw failure;
                },
                pool));
    }

    /** Its buffers fail to show their bytes while it is exhausted. */
    private final class ScarcePool extends ByteBufferPool.Wrapper {
        private boolean exhausted;

        private ScarcePool() {
            super(pool);
        }

        @Override
        public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
            return new RetainableByteBuffer.Wrapper(super.acquire(size, direct)) {
                @Override
                public ByteBuffer getByteBuffer() {
                    if (exhausted) {
                        throw failure;
                    }
                    return super.getByteBuffer();
                }
            };
        }
    }

    @Test
    void leavesThemWhereThereIsNoMemoryToBegin() {
        ScarcePool scarce = new ScarcePool();
        List<String> written = new ArrayList<>();
        HeldWrites held = holding(
                (callback, buffers) -> {
                    for (ByteBuffer buffer : buffers) {
                        written.add(BufferUtil.toString(buffer));
                    }
                    callback.succeeded();
                },
                scarce);
        scarce.exhausted = true;
        assertNextThrows(held);
        scarce.exhausted = false;
        held.release();
        assertEquals(List.of("a"), written);
    }
}
