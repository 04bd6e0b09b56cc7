package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.run.Interruption;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The moment at which several machines begin. */
class StartTimeTest {

    @Test
    void itIsATimeWithItsZoneOrSeconds() {
        Instant noon = Instant.parse("2130-01-31T12:00:00Z");
        assertEquals(noon, StartTime.of("2130-01-31T12:00:00Z").moment());
        assertEquals(noon, StartTime.of("2130-01-31T13:00:00+01:00").moment());
        assertEquals(noon, StartTime.of(Long.toString(noon.getEpochSecond())).moment());
    }

    @ParameterizedTest
    @ValueSource(strings = {"12:00", "2130-01-31T12:00:00", "soon", "+5s", ""})
    void otherFormsAreRefused(String text) {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> StartTime.of(text))
                .getMessage()
                .startsWith("'" + text + "' is not a time"));
    }

    @Test
    void aMomentThatIsOverIsRefusedBeforeTheRun() {
        Cli cli = Cli.run("http", "--start-at=2001-01-01T00:00:00Z", "http://127.0.0.1:1/");
        assertEquals(ExitCode.USAGE, cli.code());
        assertTrue(cli.err().startsWith("loadclient: --start-at: 2001-01-01T00:00:00Z is over"), cli.err());
    }

    @Test
    void aMomentInManyYearsIsWaitedForToo() throws Exception {
        Interruption interruption = new Interruption();
        interruption.finished();
        CompletableFuture<Duration> late = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                late.complete(StartTime.of("9999-12-31T00:00:00Z").await(interruption));
            } catch (RuntimeException e) {
                late.completeExceptionally(e);
            }
        });
        waiting.start();
        while (waiting.isAlive() && waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        interruption.interrupt();
        assertTrue(late.get().isNegative());
    }

    @Test
    void itIsWaitedForUnlessTheUserWantsTheEnd() {
        Instant soon = Instant.now().plusMillis(300);
        Interruption interruption = new Interruption();
        interruption.finished();
        assertFalse(new StartTime(soon).await(interruption).isNegative());
        assertFalse(Instant.now().isBefore(soon));
        interruption.interrupt();
        StartTime far = new StartTime(Instant.now().plus(Duration.ofDays(1)));
        assertTrue(far.await(interruption).isNegative(), "it has not come");
    }
}
