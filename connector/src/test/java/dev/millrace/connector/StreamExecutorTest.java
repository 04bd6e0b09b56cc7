package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;

class StreamExecutorTest {
    private final List<Runnable> scheduled = new ArrayList<>();
    private final StreamExecutor executor = new StreamExecutor(Runnable::run, new Kept(), () -> true);
    private final AtomicInteger looks = new AtomicInteger();

    /** Keeps what it is to do. */
    private final class Kept extends AbstractLifeCycle implements Scheduler {
        @Override
        public Task schedule(Runnable task, long delay, TimeUnit unit) {
            scheduled.add(task);
            return () -> scheduled.remove(task);
        }
    }

    private final class LookedAt implements StreamExecutor.Turn {
        @Override
        public boolean reads() {
            return false;
        }

        @Override
        public boolean takes(Runnable task) {
            return false;
        }

        @Override
        public boolean collects() {
            return false;
        }

        @Override
        public void endReading() {}

        @Override
        public void aboutToBlock() {}

        @Override
        public void look() {
            looks.incrementAndGet();
        }
    }

    private void runScheduled() {
        List<Runnable> now = List.copyOf(scheduled);
        scheduled.clear();
        now.forEach(Runnable::run);
    }

    @Test
    void looksAsLongAsAPlaceIsTaken() {
        int place = executor.enter(new LookedAt());
        assertEquals(1, scheduled.size());
        runScheduled();
        runScheduled();
        assertEquals(2, looks.get());
        executor.leave(place);
        runScheduled();
        assertTrue(scheduled.isEmpty());
        assertEquals(2, looks.get());
    }

    @Test
    void aSecondPlaceAsksForNoSecondLook() {
        executor.enter(new LookedAt());
        executor.enter(new LookedAt());
        assertEquals(1, scheduled.size());
        runScheduled();
        assertEquals(2, looks.get());
    }

    @Test
    void hasNoPlaceForAnyNumber() {
        int taken = 0;
        while (executor.enter(new LookedAt()) != StreamExecutor.NO_PLACE) {
            taken++;
        }
        assertTrue(taken > 0);
    }

    /** A scheduler that stops drops what it was to do. */
    @Test
    void looksAfterARestart() {
        int place = executor.enter(new LookedAt());
        scheduled.clear();
        executor.leave(place);
        executor.start();
        executor.enter(new LookedAt());
        runScheduled();
        assertEquals(1, looks.get());
    }

    /** The scheduler of a server goes on when a connector is stopped and started. */
    @Test
    void looksNoMoreOftenAfterARestart() {
        executor.enter(new LookedAt());
        executor.start();
        executor.enter(new LookedAt());
        assertEquals(1, scheduled.size());
        runScheduled();
        assertEquals(1, scheduled.size());
    }
}
