package dev.millrace.load.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    private long clock;
    private long compiled;
    private boolean isInterrupted;
    private int rounds;
    private final WarmUp warmUp = new WarmUp(() -> compiled, () -> clock, () -> !isInterrupted);

    /** One round of a second, in which compilers take some milliseconds. */
    private void round(long compilerMillis) {
        rounds++;
        clock += TimeUnit.SECONDS.toNanos(1);
        compiled += TimeUnit.MILLISECONDS.toNanos(compilerMillis);
    }

    @Test
    void aServerWithoutCompilersHasThePlannedRounds() throws Exception {
        assertTrue(warmUp.run(() -> round(0)));
        assertEquals(WarmUp.ROUNDS, rounds);
    }

    @Test
    void goesOnUntilTheCompilersRest() throws Exception {
        assertTrue(warmUp.run(() -> round(rounds < 6 ? 400 : 20)));
        assertEquals(8, rounds);
    }

    @Test
    void aRestBetweenTwoLevelsOfCompilationIsNotTheEnd() throws Exception {
        assertTrue(warmUp.run(() -> round(rounds == 4 ? 0 : rounds < 7 ? 400 : 0)));
        assertEquals(9, rounds);
    }

    @Test
    void aCompilerWhoseThreadHasEndedIsNotAtRest() throws Exception {
        assertTrue(warmUp.run(() -> round(rounds == 2 || rounds == 3 ? -400 : 0)));
        assertEquals(6, rounds);
    }

    @Test
    void saysIfTheCompilersNeverRest() throws Exception {
        assertFalse(warmUp.run(() -> round(400)));
        assertEquals(WarmUp.MOST_ROUNDS, rounds);
    }

    @Test
    void endsWhenTheUserAsksForIt() throws Exception {
        assertTrue(warmUp.run(() -> {
            round(400);
            isInterrupted = true;
        }));
        assertEquals(1, rounds);
    }
}
