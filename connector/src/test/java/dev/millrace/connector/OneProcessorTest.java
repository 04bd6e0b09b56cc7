package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.eclipse.jetty.util.ProcessorUtils;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jetty's strategy and {@link SelectorExecutor} where the JVM has one processor, with threads that come when a test says so. */
@Timeout(60)
class OneProcessorTest {
    private final Queue<Runnable> ready = new ArrayDeque<>();

    /** A pool whose threads come when the test says so. */
    private static final class LatePool extends QueuedThreadPool {
        private final Queue<Runnable> late = new ArrayDeque<>();
        private boolean isLow;

        @Override
        public void execute(Runnable task) {
            late.add(task);
        }

        @Override
        public boolean isLowOnThreads() {
            return isLow;
        }
    }

    private void withOneProcessor(LatePool pool, BiConsumer<SelectorExecutor, AdaptiveExecutionStrategy> test) {
        int processors = ProcessorUtils.availableProcessors();
        ProcessorUtils.setAvailableProcessors(1);
        try {
            SelectorExecutor executor = new SelectorExecutor(pool, new ScheduledExecutorScheduler(), "alone");
            AdaptiveExecutionStrategy alone = new AdaptiveExecutionStrategy(ready::poll, executor);
            executor.takeOn(alone);
            LifeCycle.start(alone);
            test.accept(executor, alone);
            LifeCycle.stop(alone);
        } finally {
            ProcessorUtils.setAvailableProcessors(processors);
        }
    }

    @Test
    void withOneProcessorAThreadThatComesIsNotAskedForAgain() {
        LatePool pool = new LatePool();
        withOneProcessor(pool, (executor, alone) -> {
            List<CompletableFuture<Thread>> ran = List.of(ready(), ready(), ready());
            alone.produce();
            ran.forEach(task -> assertEquals(Thread.currentThread(), task.getNow(null)));
            assertEquals(1, pool.late.size());
            // It comes, and finds nothing to do. The next task has another asked for.
            pool.late.remove().run();
            CompletableFuture<Thread> next = ready();
            alone.produce();
            assertEquals(Thread.currentThread(), next.getNow(null));
            assertEquals(1, pool.late.size());
        });
    }

    @Test
    void withOneProcessorTheThreadThatComesSelectsWhenATaskWaits() {
        LatePool pool = new LatePool();
        withOneProcessor(pool, (executor, alone) -> {
            CompletableFuture<Thread> before = ready();
            CompletableFuture<Thread> behind = new CompletableFuture<>();
            ready.add(() -> {
                ready.add(() -> behind.complete(Thread.currentThread()));
                Thread other = new Thread(pool.late.remove());
                other.start();
                assertEquals(other, behind.join());
            });
            alone.produce();
            assertTrue(before.isDone() && behind.isDone());
        });
    }

    /** All threads of such a pool may wait for this selector: so the strategy selects on, and leaves the task to the pool. */
    @Test
    void withOneProcessorAPoolThatIsLowOnThreadsIsGivenTheTask() {
        LatePool pool = new LatePool();
        pool.isLow = true;
        withOneProcessor(pool, (executor, alone) -> {
            CompletableFuture<Thread> ran = ready();
            alone.produce();
            assertFalse(ran.isDone());
            pool.late.remove().run();
            assertTrue(ran.isDone());
        });
    }

    private CompletableFuture<Thread> ready() {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        ready.add(() -> ran.complete(Thread.currentThread()));
        return ran;
    }
}
