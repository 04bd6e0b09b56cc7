package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** Which buffers of a connection of TLS wait for the end of a write. */
class TlsBufferTest {
    private static final int RECORD_BYTES = 17_000;

    private final ArrayByteBufferPool.Tracking tracking = new ArrayByteBufferPool.Tracking();
    private final ByteArrayEndPoint below = new ByteArrayEndPoint(new byte[0], 1);
    private final TlsBuffer.Pool pool = new TlsBuffer.Pool(tracking, new TlsMemory(0), below);

    private TlsBuffer acquired() {
        return (TlsBuffer) pool.acquire(RECORD_BYTES, true);
    }

    private static void release(TlsBuffer.Pool pool, TlsBuffer buffer) {
        pool.onFlush(buffer.getByteBuffer());
        buffer.release();
    }

    @Test
    void oneThatWasReleasedDuringAWriteIsGivenBackAfterIt() {
        below.write(Callback.NOOP, BufferUtil.toBuffer("ab"));
        for (int i = 1; i <= 3; i++) {
            release(pool, acquired());
            assertEquals(i, tracking.getLeaks().size());
        }
        below.takeOutput();
        RetainableByteBuffer next = acquired();
        assertEquals(1, tracking.getLeaks().size(), tracking::dumpLeaks);
        next.release();
        pool.end();
        assertEquals(0, tracking.getLeaks().size(), tracking::dumpLeaks);
    }

    @Test
    void oneThatWasDiscardedWaitsForTheEnd() {
        TlsBuffer buffer = acquired();
        BufferUtil.append(buffer.getByteBuffer(), new byte[1]);
        buffer.clear();
        buffer.release();
        acquired().release();
        assertEquals(1, tracking.getLeaks().size());
        pool.end();
        assertEquals(0, tracking.getLeaks().size(), tracking::dumpLeaks);
    }

    /** Jetty encrypts anew only when what was there before has been written. */
    @Test
    void oneThatAThreadWasToWriteFromIsGivenBackWhenTheNextIsWritten() {
        pool.handOver(() -> {
            release(pool, acquired());
            assertEquals(1, tracking.getLeaks().size());
            release(pool, acquired());
            assertEquals(1, tracking.getLeaks().size(), tracking::dumpLeaks);
        });
        assertEquals(0, tracking.getLeaks().size(), tracking::dumpLeaks);
    }

    /** The thread that ends the output may have written it, while the other one is still about to. */
    @Test
    void oneThatAThreadIsAboutToWriteFromIsKeptWhenTheOutputEnds() {
        pool.handOver(() -> {
            pool.endOutput(() -> release(pool, acquired()));
            release(pool, acquired());
            assertEquals(2, tracking.getLeaks().size(), tracking::dumpLeaks);
        });
        assertEquals(0, tracking.getLeaks().size(), tracking::dumpLeaks);
    }
}
