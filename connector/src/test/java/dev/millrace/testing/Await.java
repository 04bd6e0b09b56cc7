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
    /** A look that takes longer, as one at all threads or descriptors, costs the core that the test waits for. It is taken less often. */
    private static final long COSTLY_NANOS = 50_000;

    private static final long MOST_PAUSE_NANOS = 5_000_000;

    private Await() {}

    public static void until(String what, BooleanSupplier state) {
        until(what, state, () -> "");
    }

    public static void until(String what, BooleanSupplier state, Supplier<String> details) {
        long begin = System.nanoTime();
        long look = begin;
        for (int looks = 1; !state.getAsBoolean(); looks++) {
            long now = System.nanoTime();
            if (now - begin > MOST_NANOS) {
                fail("waited in vain: " + what + " " + details.get());
            }
            if (now - look > COSTLY_NANOS) {
                LockSupport.parkNanos(Math.min(MOST_PAUSE_NANOS, Math.max(PAUSE_NANOS, 4 * (now - look))));
            } else if (looks <= LOOKS_WITHOUT_A_PAUSE) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            look = System.nanoTime();
        }
    }
}
