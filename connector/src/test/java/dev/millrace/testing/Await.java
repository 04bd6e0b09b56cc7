package dev.millrace.testing;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a state that no event tells of. */
public final class Await {
    private static final long MOST_NANOS = 30_000_000_000L;
    /** Most states come at once, and some are soon over. */
    private static final int LOOKS_WITHOUT_A_PAUSE = 100;
    /**
     * Between looks at a state that no event tells of: it stands for no event, and leaves the core to the thread that
     * the test waits for.
     */
    private static final long PAUSE_NANOS = 200_000;

    private Await() {}

    public static void until(String what, BooleanSupplier state) {
        until(what, state, () -> "");
    }

    public static void until(String what, BooleanSupplier state, Supplier<String> details) {
        long begin = System.nanoTime();
        for (int looks = 1; !state.getAsBoolean(); looks++) {
            if (System.nanoTime() - begin > MOST_NANOS) {
                fail("waited in vain: " + what + " " + details.get());
            }
            if (looks <= LOOKS_WITHOUT_A_PAUSE) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
