package dev.millrace.connector;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.VirtualThreads;

/**
 * How long a virtual thread reads from one connection, or writes to it, before others have its carrier. The JDK takes none from a thread that
 * does not wait. A peer that sends without a pause, or takes all at once, never lets it wait. See decision 0086. One thread may read
 * while another writes: then a turn may be shorter, or longer, which does no harm.
 */
final class CarrierTurn {
    private static final int TURN_MILLIS = 10;
    /** A read that takes so long has waited for the peer, or the system has interrupted it. A shorter wait may count as none. */
    private static final int WAIT_NANOS = 1_000_000;

    private int beginMillis = millis(NanoTime.now());

    /** Called when bytes were written, or some were read that were there already. */
    void onProgress() {
        endIfOver(NanoTime.now());
    }

    /**
     * Called when bytes were read that were there already, or came while the thread waited.
     *
     * @param begin when the read was called, by {@link NanoTime}
     */
    void onReadSince(long begin) {
        long now = NanoTime.now();
        if (now - begin >= WAIT_NANOS) {
            beginMillis = millis(now);
        } else {
            endIfOver(now);
        }
    }

    private void endIfOver(long now) {
        int millis = millis(now);
        if (millis - beginMillis >= TURN_MILLIS) {
            beginMillis = millis;
            // A thread of a pool, which answers asynchronously, has no carrier.
            if (VirtualThreads.isVirtualThread()) {
                // With an interrupt no park gives the carrier away, nor does the first one behind it, for an interrupt
                // leaves a permit.
                boolean interrupted = Thread.interrupted();
                if (interrupted) {
                    LockSupport.parkNanos(1);
                }
                // To yield would not do: new connections may still get no carrier.
                LockSupport.parkNanos(1);
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private static int millis(long nanos) {
        return (int) TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
