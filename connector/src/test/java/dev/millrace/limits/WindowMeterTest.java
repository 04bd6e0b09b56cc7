package dev.millrace.limits;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A window that is looked at once a second, with the default limits. */
class WindowMeterTest {
    private static final long GRACE_MILLIS = 5000;
    private static final int BYTES_PER_SECOND = 240;

    private final WindowMeter meter = new WindowMeter();

    private boolean isSlowAfter(int seconds) {
        boolean slow = false;
        for (int i = 0; i < seconds; i++) {
            meter.look(1000, GRACE_MILLIS);
            slow |= meter.isBelow(BYTES_PER_SECOND, GRACE_MILLIS);
        }
        return slow;
    }

    /** Opens it so many times, each time behind so many seconds. */
    private boolean isSlowIn(int times, int seconds, int bytes) {
        boolean slow = false;
        for (int i = 0; i < times && !slow; i++) {
            slow = isSlowAfter(seconds - 1);
            meter.grant(bytes);
            slow |= isSlowAfter(1);
        }
        return slow;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 10, 11, 25, 29})
    void isNotCheaperToOpenSeldom(int seconds) {
        assertFalse(isSlowIn(100, seconds, seconds * (BYTES_PER_SECOND + 1)));
        assertTrue(isSlowIn(100, seconds, seconds * (BYTES_PER_SECOND - 1)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 11, 16, 21, 25, 29})
    void seesASingleByteAtAnyLook(int seconds) {
        assertTrue(isSlowIn(5, seconds, 1));
    }

    @Test
    void neverCallsAPauseSlow() {
        assertFalse(isSlowAfter(100), "never opened");
        meter.grant(2 * 5 * BYTES_PER_SECOND);
        assertFalse(isSlowAfter(10_000), "opened once");
    }

    @Test
    void letsAReaderGoOnBehindALongPause() {
        assertFalse(isSlowIn(12, 1, 2000));
        assertFalse(isSlowAfter(10_000));
        assertFalse(isSlowIn(20, 1, 2000));
    }

    /** What is opened wider than it can be of use is no excuse for long. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10, 20, 25, 29})
    void excusesOneWideOpeningForLessThanTwoMinutes(int seconds) {
        assertFalse(isSlowIn(1, 1, Integer.MAX_VALUE));
        assertTrue(isSlowIn(110 / seconds, seconds, 1));
    }

    @Test
    void gracesAPeerThatBegins() {
        for (int i = 1; i < GRACE_MILLIS / 1000; i++) {
            assertFalse(isSlowIn(1, 1, 1), "second " + i);
        }
        assertTrue(isSlowIn(1, 1, 1));
    }

    @Test
    void hasNoGraceIfItIsNone() {
        meter.grant(1);
        meter.look(1000, 0);
        assertTrue(meter.isBelow(BYTES_PER_SECOND, 0));
    }
}
