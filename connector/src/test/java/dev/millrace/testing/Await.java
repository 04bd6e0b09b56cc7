package dev.millrace.testing;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a state that no event tells of. */
public final class Await {
    private static final long MOST_NANOS = 10_000_000_000L;

    private Await() {
    }

    public static void until(String what, BooleanSupplier state) {
        until(what, state, () -> "");
    }

    public static void until(String what, BooleanSupplier state, Supplier<String> details) {
        long begin = System.nanoTime();
        while (!state.getAsBoolean()) {
            if (System.nanoTime() - begin > MOST_NANOS) {
                fail("waited in vain: " + what + " " + details.get());
            }
            Thread.yield();
        }
    }
}
