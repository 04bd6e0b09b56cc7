package dev.millrace.limits;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows that are looked at once a second, with the default limits. */
class WindowMeterTest {
    private static final long GRACE_MILLIS = 5000;
    private static final int BYTES_PER_SECOND = 240;

    private static final int STREAM = 1;

    private final WindowMeter meter = new WindowMeter();
    private final Set<Integer> closed = new TreeSet<>(Set.of(STREAM));

    private interface Second {
        void open(int number);
    }

    @BeforeEach
    void begin() {
        meter.look(closed, 1000, GRACE_MILLIS);
    }

    private boolean isSlowAfter(int seconds, Second second) {
        boolean slow = false;
        for (int i = 1; i <= seconds && !slow; i++) {
            second.open(i);
            meter.look(closed, 1000, GRACE_MILLIS);
            slow = meter.isBelow(BYTES_PER_SECOND, GRACE_MILLIS);
        }
        return slow;
    }

    private boolean isSlowAfter(int seconds) {
        return isSlowAfter(seconds, i -> {});
    }

    /** Opens it so many times, each time behind so many seconds. */
    private boolean isSlowIn(int times, int seconds, int bytes) {
        return isSlowAfter(times * seconds, i -> meter.grant(STREAM, i % seconds == 0 ? bytes : 0));
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
        meter.grant(STREAM, 2 * 5 * BYTES_PER_SECOND);
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

    /** While that was closed, the stream's own counted by a byte only. */
    @Test
    void isOpenedByTheWindowOfTheConnectionThoughThatIsNotClosedAgain() {
        closed.add(WindowMeter.CONNECTION);
        meter.look(closed, 1000, GRACE_MILLIS);
        assertFalse(isSlowAfter(7));
        meter.grant(STREAM, 1);
        meter.grant(WindowMeter.CONNECTION, 1 << 20);
        closed.remove(WindowMeter.CONNECTION);
        assertFalse(isSlowAfter(1));
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
        meter.grant(STREAM, 1);
        meter.look(closed, 1000, 0);
        assertTrue(meter.isBelow(BYTES_PER_SECOND, 0));
    }

    @Test
    void gracesAPeerAgainWhoseWindowsWereOpen() {
        assertTrue(isSlowIn(5, 1, 1));
        closed.clear();
        isSlowAfter(1);
        closed.add(STREAM);
        isSlowAfter(1);
        assertFalse(isSlowIn(4, 1, 1));
        assertTrue(isSlowIn(1, 1, 1));
    }

    @Test
    void asksNothingForWindowsThatAreLeftClosed() {
        closed.addAll(Set.of(3, 5, 7));
        meter.look(closed, 1000, GRACE_MILLIS);
        isSlowAfter(12, i -> closed.forEach(stream -> meter.grant(stream, 2000)));
        assertFalse(isSlowIn(100, 1, BYTES_PER_SECOND + 1));
        assertTrue(isSlowIn(100, 1, BYTES_PER_SECOND - 2));
    }

    /** One that is opened wide must not hold the threads of many. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 10, 29})
    void asksForEachWindowThatIsOpened(int seconds) {
        for (int i = 1; i <= 29; i++) {
            closed.add(STREAM + 2 * i);
        }
        meter.look(closed, 1000, GRACE_MILLIS);
        // All thirty owe the rate, of which one has it all. The others have a byte each 29 s, one after the other.
        assertTrue(isSlowAfter(2000, i -> {
            meter.grant(STREAM + 2 * (1 + i % 29), 1);
            meter.grant(STREAM, i % seconds == 0 ? seconds * 30 * (BYTES_PER_SECOND - 2) : 0);
        }));
    }

    @Test
    void asksForTheConnectionsWindowOnce() {
        closed.add(WindowMeter.CONNECTION);
        meter.look(closed, 1000, GRACE_MILLIS);
        assertFalse(isSlowAfter(100, i -> {
            meter.grant(STREAM, 1);
            meter.grant(WindowMeter.CONNECTION, 2 * BYTES_PER_SECOND - 10);
        }));
        closed.remove(STREAM);
        assertFalse(isSlowAfter(100, i -> meter.grant(WindowMeter.CONNECTION, BYTES_PER_SECOND + 1)));
        assertTrue(isSlowAfter(100, i -> meter.grant(WindowMeter.CONNECTION, BYTES_PER_SECOND - 1)));
    }
}
