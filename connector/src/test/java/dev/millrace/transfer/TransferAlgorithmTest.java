package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names, and what Adaptive makes of what it sees; the clock is the test's. */
class TransferAlgorithmTest {
    private final TransferAlgorithm.Policy policy = new TransferAlgorithm.AdaptivePolicy();
    private long nanoTime = 42;

    @ParameterizedTest
    @ValueSource(strings = {"SimpleBlocking", "EqualNonBlocking", "EqualBlocking(40960)", "Adaptive"})
    void hasItsName(String name) {
        assertEquals(name, TransferAlgorithm.of(name).toString());
        assertEquals(name, TransferAlgorithm.of(" " + name + " ").toString());
    }

    @Test
    void hasABufferUnlessGiven() {
        assertEquals(
                "EqualBlocking(262144)", TransferAlgorithm.of("EqualBlocking").toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "simpleblocking",
                "Equal",
                "EqualBlocking()",
                "EqualBlocking(0)",
                "EqualBlocking(-1)",
                "EqualBlocking(9999999999)",
                "EqualBlocking(1",
                "EqualNonBlocking(1)",
                "SimpleBlocking(1)",
                "Adaptive(1)"
            })
    void knowsNoOther(String name) {
        assertThrows(IllegalArgumentException.class, () -> TransferAlgorithm.of(name));
    }

    private int fullAfter(long millis, int bytes, boolean crowded) {
        nanoTime += TimeUnit.MILLISECONDS.toNanos(millis);
        return policy.waitMillis(bytes, nanoTime, crowded);
    }

    @Test
    void waitsForAClientThatWasQuick() {
        assertEquals(0, fullAfter(0, 100_000, false), "not known yet");
        assertEquals(2, fullAfter(1, 100_000, false));
        assertEquals(2, fullAfter(1, 100_000, false));
    }

    @Test
    void waitsForNobodyWhileOthersWantTheWorker() {
        fullAfter(0, 100_000, false);
        assertEquals(0, fullAfter(1, 100_000, true));
        assertEquals(2, fullAfter(1, 100_000, false), "it was quick all the same");
        assertTrue(policy.keepsWorker(false));
        assertFalse(policy.keepsWorker(true));
    }

    @Test
    void leavesASlowClientToTheSelector() {
        for (int i = 0; i < 5; i++) {
            assertEquals(0, fullAfter(2, 100_000, false));
        }
    }

    @Test
    void leavesAClientThatBecomesSlowToTheSelector() {
        fullAfter(0, 100_000, false);
        assertEquals(2, fullAfter(1, 100_000, false));
        assertEquals(0, fullAfter(500, 100_000, false));
        assertEquals(0, fullAfter(1, 0, false), "a wait in vain is not followed by another");
        assertEquals(2, fullAfter(1, 100_000, false));
    }

    private int selectorBytesAfter(long millis) {
        nanoTime += TimeUnit.MILLISECONDS.toNanos(millis);
        return policy.selectorBytes(nanoTime);
    }

    @Test
    void sendsFromTheSelectorWhatASlowClientHasRoomFor() {
        assertEquals(0, selectorBytesAfter(100), "not known yet");
        fullAfter(0, 200_000, false);
        assertEquals(400_000, selectorBytesAfter(2));
        fullAfter(0, 10, false);
        assertEquals(128 * 1024, selectorBytesAfter(2));
        fullAfter(0, 2_000_000, false);
        assertEquals(2 * 1024 * 1024, selectorBytesAfter(2));
    }

    @Test
    void sendsFromTheSelectorWhateverTheClientByEqualNonBlocking() {
        TransferAlgorithm.Policy turns =
                TransferAlgorithm.of("EqualNonBlocking").newPolicy();
        assertEquals(0, turns.waitMillis(100_000, nanoTime, false));
        assertEquals(200_000, turns.selectorBytes(nanoTime));
    }

    @Test
    void leavesAQuickClientToTheWorkers() {
        fullAfter(0, 100_000, false);
        assertEquals(0, selectorBytesAfter(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SimpleBlocking", "EqualBlocking"})
    void sendsNothingFromTheSelectorByTheOthers(String name) {
        assertEquals(0, TransferAlgorithm.of(name).newPolicy().selectorBytes(nanoTime));
    }
}
