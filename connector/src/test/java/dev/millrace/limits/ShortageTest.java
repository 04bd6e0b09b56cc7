package dev.millrace.limits;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.util.NanoTime;
import org.junit.jupiter.api.Test;

/** A pool that is asked whether it has a thread. */
class ShortageTest {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long begin = NanoTime.now();

    @Test
    void isThereWhenTheSystemGrantsNoThread() {
        Shortage shortage = new Shortage(
                task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                },
                new ConnectionPermits());
        // What looks at all connections must go on looking.
        shortage.look(true, begin);
        assertTrue(shortage.isOfThreads(1000, begin + SECOND_NANOS));
    }

    private void assertOverWhenThePoolRunsTasksAgain(Runnable failing) {
        AtomicBoolean fails = new AtomicBoolean(true);
        Shortage shortage = new Shortage(
                task -> {
                    if (fails.get()) {
                        failing.run();
                    }
                    task.run();
                },
                new ConnectionPermits());
        shortage.look(true, begin);
        shortage.look(true, begin + SECOND_NANOS);
        assertTrue(shortage.isOfThreads(1000, begin + SECOND_NANOS), "since it was asked first");
        fails.set(false);
        shortage.look(true, begin + 2 * SECOND_NANOS);
        assertFalse(shortage.isOfThreads(1000, begin + 3 * SECOND_NANOS));
    }

    /** A pool of the JDK forgets the task for which it gets no thread, and is asked again. */
    @Test
    void isOverWhenThePoolGetsThreadsAgain() {
        assertOverWhenThePoolRunsTasksAgain(() -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
    }

    @Test
    void isOverWhenThePoolNoLongerFails() {
        assertOverWhenThePoolRunsTasksAgain(() -> {
            throw new IllegalStateException("meant to fail");
        });
    }

    @Test
    void isNotThereWhenThePoolAnswers() {
        Shortage shortage = new Shortage(Runnable::run, new ConnectionPermits());
        shortage.look(true, begin);
        assertFalse(shortage.isOfThreads(1000, begin + SECOND_NANOS));
    }
}
