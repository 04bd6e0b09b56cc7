package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Interleavings;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Turns that are waited for and ended at once: see {@link Interleavings}. A lost one would leave a thread waiting. */
class TransferPermitsLincheck {
    private static void assertFree(TransferPermits permits) {
        assertEquals(0, permits.getBusy());
        assertEquals(0, permits.getQueued());
    }

    /** A turn, if it comes, with no more than so many others. */
    private static Runnable turn(TransferPermits permits, AtomicInteger turns, int most) {
        return () -> {
            if (permits.acquire(new Object(), () -> true)) {
                assertTrue(turns.incrementAndGet() <= most, "more at once than there are workers");
                turns.decrementAndGet();
                permits.release();
            }
        };
    }

    @Test
    void eachHasItsTurn() {
        Interleavings.explore(() -> {
            TransferPermits permits = new TransferPermits();
            permits.setWorkers(1);
            AtomicInteger turns = new AtomicInteger();
            Interleavings.together(turn(permits, turns, 1), turn(permits, turns, 1), turn(permits, turns, 1));
            assertFree(permits);
        });
    }

    @Test
    void moreWorkersLetThroughWhoWaits() {
        Interleavings.explore(() -> {
            TransferPermits permits = new TransferPermits();
            permits.setWorkers(1);
            AtomicInteger turns = new AtomicInteger();
            Interleavings.together(turn(permits, turns, 2), turn(permits, turns, 2), () -> permits.setWorkers(2));
            assertFree(permits);
        });
    }
}
