package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.ContestedScheduler;
import dev.millrace.testing.HeldJobs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Looks go on, whatever a scheduler that is short of memory takes of two threads. */
@Timeout(60)
class PlannedLooksTest {
    private final HeldJobs threads = new HeldJobs();
    private final ContestedScheduler scheduler = new ContestedScheduler(this::resume);
    private final PlannedLooks looks = new PlannedLooks(this, () -> scheduler, threads, () -> 1000, () -> {});

    private void resume() {
        looks.resume();
    }

    @Test
    void theNextResumePlansALookThoughOnlyOneOfTwoPlansWasTaken() throws Exception {
        looks.start();
        scheduler.awaitRefusal();
        looks.resume();
        scheduler.lastTask().run();
        assertEquals(1, threads.jobs().size(), "a plan that leads to a look");
    }
}
