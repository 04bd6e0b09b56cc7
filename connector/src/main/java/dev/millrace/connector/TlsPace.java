package dev.millrace.connector;

import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.NanoTime;

/**
 * How fast a peer of TLS takes what is written to it. The rest of a batch is copied where writes do not block, and its memory stays
 * with the thread where they do. So the next batch for a slow peer is small.
 *
 * <p>Used by the thread that writes; Jetty's flusher lets one at a time.
 */
final class TlsPace {
    private static final long SLOW_WRITE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** As many in a row must be taken whole and at once, before a batch is large again. */
    private static final int MOST_SMALL_BATCHES = 16;

    private final TlsMemory memory;
    private volatile int smallBatches;

    /** @param memory for a peer that is not slow */
    TlsPace(TlsMemory memory) {
        this.memory = memory;
    }

    /** @return where the memory of the next batch comes from */
    TlsMemory memory() {
        return smallBatches > 0 ? memory.forSlowPeers() : memory;
    }

    /**
     * Notes how a batch was written.
     *
     * @param isWhole whether the socket has taken all of it
     * @param begin of the write, by {@link NanoTime#now()}
     */
    void onWrite(boolean isWhole, long begin) {
        boolean isSlow = !isWhole || NanoTime.since(begin) > SLOW_WRITE_NANOS;
        smallBatches = isSlow ? MOST_SMALL_BATCHES : Math.max(0, smallBatches - 1);
    }
}
