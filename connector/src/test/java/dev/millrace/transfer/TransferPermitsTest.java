package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Turns are as many as were given out, whichever thread gives back what. */
@Timeout(60)
class TransferPermitsTest {
    private final TransferPermits permits = new TransferPermits();

    @Test
    void nobodyGivesBackMoreThanWasTaken() {
        assertThrows(IllegalStateException.class, permits::release);
        assertTrue(permits.acquire(this, () -> true));
        permits.release();
        assertThrows(IllegalStateException.class, permits::release);
        assertEquals(0, permits.getBusy());
    }

    @Test
    void someAreThere() {
        assertThrows(IllegalArgumentException.class, () -> permits.setWorkers(0));
        assertThrows(IllegalArgumentException.class, () -> new TransferWorkers().setWorkers(0));
        assertTrue(permits.acquire(this, () -> true));
    }

    @Test
    void nobodyWaitsTwice() throws Exception {
        permits.setWorkers(1);
        assertTrue(permits.acquire("first", () -> true));
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(() -> permits.acquire("second", () -> true));
        Await.until("the second waits", () -> permits.getQueued() == 1);
        assertThrows(IllegalStateException.class, () -> permits.acquire("second", () -> true));
        permits.release();
        assertTrue(second.get(30, TimeUnit.SECONDS));
        permits.release();
        assertEquals(0, permits.getBusy());
    }

    @Test
    void whoIsCancelledHasNone() throws Exception {
        permits.setWorkers(1);
        assertTrue(permits.acquire("first", () -> true));
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(() -> permits.acquire("second", () -> true));
        Await.until("the second waits", () -> permits.getQueued() == 1);
        permits.cancel("second");
        assertFalse(second.get(30, TimeUnit.SECONDS));
        permits.release();
        assertEquals(0, permits.getBusy());
    }
}
