package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.NanoTime;
import org.junit.jupiter.api.Test;

/** Who is a slow peer of TLS, and for how long. */
class TlsPaceTest {
    private final TlsMemory memory = new TlsMemory(1);
    private final TlsPace pace = new TlsPace(memory);

    private void assertFastAfterSixteenBatches() {
        for (int i = 0; i < 16; i++) {
            assertSame(memory.forSlowPeers(), pace.memory());
            pace.onWrite(true, NanoTime.now());
        }
        assertSame(memory, pace.memory());
    }

    @Test
    void oneThatLeavesSomeOfABatch() {
        assertSame(memory, pace.memory());
        pace.onWrite(false, NanoTime.now());
        assertFastAfterSixteenBatches();
    }

    @Test
    void oneWhoseWriteBlocks() {
        pace.onWrite(true, NanoTime.now() - TimeUnit.SECONDS.toNanos(1));
        assertFastAfterSixteenBatches();
    }
}
