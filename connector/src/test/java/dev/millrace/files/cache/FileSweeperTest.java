package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.ContestedScheduler;
import dev.millrace.testing.HeldJobs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sweeps go on, whatever a scheduler that is short of memory takes of two threads. */
@Timeout(60)
class FileSweeperTest {
    private final HeldJobs threads = new HeldJobs();
    private final ContestedScheduler scheduler = new ContestedScheduler(this::resume);
    private final FileSweeper sweeper = new FileSweeper(scheduler, threads, () -> 1000, () -> {});

    private void resume() {
        sweeper.resume();
    }

    @Test
    void theNextFilePlansASweepThoughOnlyOneOfTwoPlansWasTaken() throws Exception {
        sweeper.resume();
        scheduler.awaitRefusal();
        sweeper.resume();
        scheduler.lastTask().run();
        assertEquals(1, threads.jobs().size(), "a plan that leads to a sweep");
    }
}
