package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.HeldJobs;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sweeps go on, whatever a scheduler that is short of memory takes of two threads. */
@Timeout(60)
class FileSweeperTest {
    private static final int LONG_ENOUGH_MILLIS = 300;

    private final List<Runnable> plans = new ArrayList<>();
    private final HeldJobs threads = new HeldJobs();
    private final Thread other = new Thread(this::resume);
    private final FileSweeper sweeper = new FileSweeper(new Interrupted(), threads, () -> 1000, () -> {});
    private int asked;

    private void resume() {
        sweeper.resume();
    }

    /** Takes the first plan, but not before another thread has come with the second, which it does not take. */
    private final class Interrupted extends AbstractLifeCycle implements Scheduler {
        @Override
        public Task schedule(Runnable task, long delay, TimeUnit units) {
            asked++;
            if (asked == 1) {
                other.start();
                join();
            } else if (Thread.currentThread() == other) {
                throw new RejectedExecutionException("meant to fail");
            }
            plans.add(task);
            return () -> false;
        }

        // The other thread may have to wait for the first one.
        private void join() {
            try {
                other.join(LONG_ENOUGH_MILLIS);
            } catch (InterruptedException x) {
                throw new IllegalStateException(x);
            }
        }
    }

    @Test
    void theNextFilePlansASweepThoughOnlyOneOfTwoPlansWasTaken() throws Exception {
        sweeper.resume();
        other.join();
        sweeper.resume();
        plans.get(plans.size() - 1).run();
        assertEquals(1, threads.jobs().size(), "a plan that leads to a sweep");
    }
}
