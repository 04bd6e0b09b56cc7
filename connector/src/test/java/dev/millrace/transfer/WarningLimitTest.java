package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Logged;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** So many warnings a minute, and the count of those that were left out. */
class WarningLimitTest {
    private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1);
    private final WarningLimit warnings = new WarningLimit(2, nanoTime::get);

    private long nextAfter(long seconds) {
        nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
        return warnings.next();
    }

    @Test
    void countsWhatIsLeftOut() {
        assertEquals(0, nextAfter(0));
        assertEquals(0, nextAfter(30));
        assertEquals(-1, nextAfter(0));
        assertEquals(-1, nextAfter(29));
        assertEquals(2, nextAfter(1), "a minute after the first");
        assertEquals(0, nextAfter(0));
        assertEquals(-1, nextAfter(59));
        assertEquals(1, nextAfter(600));
        assertEquals(0, nextAfter(59));
        assertEquals(-1, nextAfter(0));
    }

    @Test
    void saysHowManyWereLeftOut() {
        try (Logged logged = new Logged(WarningLimit.class.getName())) {
            assertTrue(warnings.allows());
            assertTrue(warnings.allows());
            for (int i = 0; i < 7; i++) {
                assertFalse(warnings.allows());
            }
            assertEquals(0, logged.count("WARN"));
            nanoTime.addAndGet(TimeUnit.MINUTES.toNanos(1));
            assertTrue(warnings.allows());
            assertTrue(warnings.allows());
            assertFalse(warnings.allows());
            assertEquals(1, logged.count("7 more warnings"));
            assertEquals(1, logged.count("WARN"));
        }
    }
}
