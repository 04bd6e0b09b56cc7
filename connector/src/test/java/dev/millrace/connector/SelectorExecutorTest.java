package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.millrace.testing.Await;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jetty's strategy, told by {@link SelectorExecutor} where tasks run, with a pool whose threads are all busy for ever. */
@Timeout(60)
class SelectorExecutorTest {
    private static final ThreadLocal<String> OF_A_HANDLER = new InheritableThreadLocal<>();

    private final List<Runnable> queued = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> ready = new ArrayDeque<>();
    private final Looks looks = new Looks();
    private final SelectorExecutor duty = new SelectorExecutor(this::queue, looks, "test", this::newThread);
    private final AdaptiveExecutionStrategy strategy = new AdaptiveExecutionStrategy(this::produce, duty);
    private final Set<Thread> selecting = ConcurrentHashMap.newKeySet();
    private final CountDownLatch events = new CountDownLatch(1);
    private volatile boolean awaitsEvents;
    private boolean here;
    private volatile boolean exhausted;
    private boolean poolIsExhausted;

    /** Looks when the test says so. */
    private static final class Looks extends AbstractLifeCycle implements Scheduler {
        private final Queue<Runnable> due = new ArrayDeque<>();
        private boolean fails;

        @Override
        public Task schedule(Runnable task, long delay, TimeUnit units) {
            if (fails) {
                throw new RejectedExecutionException("expected by the test");
            }
            due.add(task);
            return () -> due.remove(task);
        }

        private void look() {
            due.remove().run();
        }
    }

    @BeforeEach
    void start() {
        LifeCycle.start(strategy);
        duty.takeOn(strategy);
    }

    @AfterEach
    void stop() {
        events.countDown();
        LifeCycle.stop(strategy);
    }

    private Runnable produce() {
        selecting.add(Thread.currentThread());
        if (awaitsEvents) {
            awaitEvents();
        }
        Runnable task = ready.poll();
        if (task != null) {
            duty.place(here);
        }
        return task;
    }

    private void awaitEvents() {
        try {
            events.await();
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    private void queue(Runnable task) {
        if (poolIsExhausted) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        queued.add(task);
    }

    private Thread newThread(Runnable task) {
        return exhausted
                ? new Thread(task) {
                    @Override
                    public synchronized void start() {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                }
                : new Thread(task);
    }

    private CompletableFuture<Thread> ready() {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        ready.add(() -> ran.complete(Thread.currentThread()));
        return ran;
    }

    @Test
    void runsATaskWhereItWasFound() {
        here = true;
        CompletableFuture<Thread> ran = ready();
        strategy.produce();
        assertEquals(Thread.currentThread(), ran.getNow(null));
        assertEquals(List.of(), queued);
    }

    /** As the strategy does when, between two of its steps, another thread wants to select: nothing but its source shows the place. */
    @Test
    void leavesNoTaskToTheQueueOfAPool() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        duty.place(true);
        duty.execute(() -> ran.complete(Thread.currentThread()));
        assertNotEquals(Thread.currentThread(), ran.get(30, TimeUnit.SECONDS));
        assertEquals(List.of(), queued);
        // What comes after it was not to run here.
        duty.execute(() -> ran.complete(null));
        assertEquals(1, queued.size());
    }

    /** A handler's thread may have asked for one. */
    @Test
    void threadsOfItsOwnInheritNothing() throws Exception {
        SelectorExecutor own = new SelectorExecutor(queued::add, looks, "test");
        own.takeOn(strategy);
        CompletableFuture<Boolean> inherited = new CompletableFuture<>();
        OF_A_HANDLER.set("handler's");
        try {
            own.place(true);
            own.execute(() -> inherited.complete(OF_A_HANDLER.get() != null));
            assertFalse(inherited.get(30, TimeUnit.SECONDS));
        } finally {
            OF_A_HANDLER.remove();
        }
    }

    @Test
    void leavesTasksOfOtherDispatchesToThePool() {
        CompletableFuture<Thread> ran = ready();
        strategy.produce();
        assertEquals(1, queued.size());
        queued.get(0).run();
        assertEquals(Thread.currentThread(), ran.getNow(null));
    }

    /** Which sets some of the strategy's counters to zero, and leaves others. */
    @Test
    void countsNoFewerThanNoneAfterAReset() {
        here = true;
        ready.add(() -> {});
        strategy.produce();
        strategy.reset();
        assertEquals(0, duty.getHandOvers());
        here = false;
        ready.add(() -> {});
        strategy.produce();
        assertEquals(1, duty.getHandOvers());
    }

    @Test
    void selectsElsewhereWhenATaskWaits() {
        here = true;
        ready.add(() -> {
            duty.aboutToBlock();
            looks.look();
            Await.until("somebody else selects", () -> selecting.size() == 2);
        });
        strategy.produce();
        assertEquals(0, looks.due.size());
    }

    /** It may select for another selector by now, which would have no look if it were taken for this one's. */
    @Test
    void aThreadThatHasLeftIsNoLongerItsOwn() {
        here = true;
        ready.add(() -> {
            awaitsEvents = true;
            duty.aboutToBlock();
            looks.look();
            Await.until("somebody else selects", () -> selecting.size() == 2);
        });
        strategy.produce();
        assertFalse(duty.aboutToBlock());
    }

    /** As one that stops, or has no memory for it. */
    @Test
    void looksForTheNextTaskWhenTheSchedulerHasFailed() {
        here = true;
        ready.add(() -> {
            looks.fails = true;
            duty.aboutToBlock();
        });
        ready.add(() -> {
            looks.fails = false;
            duty.aboutToBlock();
        });
        ready.add(() -> {
            duty.aboutToBlock();
            looks.fails = true;
            looks.look();
            looks.fails = false;
            duty.aboutToBlock();
            looks.look();
            Await.until("somebody else selects", () -> selecting.size() == 2);
        });
        strategy.produce();
        assertEquals(2, selecting.size());
    }

    @Test
    void watchesOnWhenTheSchedulerHasFailed() {
        here = true;
        ready.add(() -> {
            // A watch that finds no task at all has another thread select: that one might take the task.
            duty.start();
            looks.fails = true;
            looks.look();
            looks.fails = false;
            duty.aboutToBlock();
            looks.look();
            Await.until("somebody else selects", () -> selecting.size() == 2);
        });
        strategy.produce();
        assertEquals(2, selecting.size());
        // The watch.
        assertEquals(1, looks.due.size());
    }

    @Test
    void nobodyLeavesWhatNoOtherTakesOn() {
        here = true;
        CompletableFuture<Boolean> left = new CompletableFuture<>();
        ready.add(() -> left.complete(duty.leave()));
        strategy.produce();
        assertFalse(left.getNow(true));
        assertEquals(Set.of(Thread.currentThread()), selecting);
    }

    /** Jetty would warn, with a stack, of each request that enters a context. */
    @Test
    void nobodyLeavesWhenThePoolGetsNoThread() {
        here = true;
        poolIsExhausted = true;
        CompletableFuture<Boolean> left = new CompletableFuture<>();
        ready.add(() -> left.complete(duty.leaveToPool()));
        strategy.produce();
        assertFalse(left.getNow(true));
        assertEquals(Set.of(Thread.currentThread()), selecting);
    }

    @Test
    void nobodyLeavesASelectorOfAnother() throws Exception {
        here = true;
        CompletableFuture<Boolean> left = new CompletableFuture<>();
        ready.add(() ->
                CompletableFuture.runAsync(() -> left.complete(duty.leave())).join());
        strategy.produce();
        assertFalse(left.getNow(true));
    }

    @Test
    void keepsOnSelectingWhenTasksMayWaitAndDoNot() {
        here = true;
        // Asks for the first look.
        ready.add(duty::aboutToBlock);
        for (int i = 0; i < 100; i++) {
            ready.add(() -> {
                duty.aboutToBlock();
                looks.look();
            });
        }
        strategy.produce();
        assertEquals(Set.of(Thread.currentThread()), selecting);
        // Nobody may wait any more: the looks end.
        LifeCycle.stop(strategy);
        looks.look();
        assertEquals(0, looks.due.size());
    }

    @Test
    void leavesATaskToThePoolWhenThereIsNoThread() {
        exhausted = true;
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        duty.place(true);
        duty.execute(() -> ran.complete(Thread.currentThread()));
        assertEquals(1, queued.size());
        queued.get(0).run();
        assertEquals(Thread.currentThread(), ran.getNow(null));
    }

    @Test
    void looksAgainWhenThereWasNoThreadToSelect() {
        here = true;
        duty.start();
        exhausted = true;
        ready.add(() -> {
            duty.aboutToBlock();
            // The one that is made each second has not seen this task before; the other finds it waiting, and no
            // thread.
            looks.look();
            looks.look();
            assertEquals(Set.of(Thread.currentThread()), selecting);
            exhausted = false;
            looks.look();
            Await.until("somebody else selects", () -> selecting.size() == 2);
        });
        strategy.produce();
    }
}
