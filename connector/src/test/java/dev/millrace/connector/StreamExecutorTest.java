package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.millrace.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jetty's strategy of one connection, with requests that are there at once, told by {@link StreamExecutor} where they run. */
@Timeout(60)
class StreamExecutorTest {
    private final QueuedThreadPool pool = new QueuedThreadPool();
    private final Looks looks = new Looks();
    private final StreamExecutor streams =
            new StreamExecutor(pool, task -> new Thread(task).start(), new StreamWatch(() -> looks));
    private final Queue<Runnable> requests = new ConcurrentLinkedQueue<>();
    private final AdaptiveExecutionStrategy strategy = new AdaptiveExecutionStrategy(this::read, streams);
    private final CountDownLatch end = new CountDownLatch(1);

    /** Looks when the test says so. */
    private static final class Looks extends AbstractLifeCycle implements Scheduler {
        private final Queue<Runnable> due = new ConcurrentLinkedQueue<>();

        @Override
        public Task schedule(Runnable task, long delay, TimeUnit units) {
            due.add(task);
            return () -> due.remove(task);
        }

        private void look() {
            due.remove().run();
        }
    }

    @BeforeEach
    void start() throws Exception {
        pool.start();
        LifeCycle.start(strategy);
    }

    @AfterEach
    void stop() throws Exception {
        end.countDown();
        LifeCycle.stop(strategy);
        pool.stop();
    }

    // As a connection does: it takes a request that it has read, or reads.
    private Runnable read() {
        Runnable next = requests.poll();
        if (next == null) {
            streams.onFilled(0);
        }
        return next;
    }

    private void serve() {
        streams.onFilled(1);
        strategy.produce();
    }

    private CompletableFuture<Thread> quick() {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        requests.add(() -> ran.complete(Thread.currentThread()));
        return ran;
    }

    private void slow() {
        requests.add(() -> Await.until("is over", () -> end.getCount() == 0));
    }

    private static Thread threadOf(CompletableFuture<Thread> ran) throws Exception {
        return ran.get(30, TimeUnit.SECONDS);
    }

    @Test
    void runsQuickRequestsOnTheThreadThatHasReadThem() throws Exception {
        List<CompletableFuture<Thread>> ran = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ran.add(quick());
        }
        serve();
        // The first may be slow, by the loading of classes, or by a busy machine.
        assertSame(Thread.currentThread(), threadOf(ran.get(0)));
    }

    @Test
    void readsElsewhereWhenARequestDoesNotReturn() throws Exception {
        slow();
        CompletableFuture<Thread> behind = quick();
        Thread reader = new Thread(this::serve);
        reader.start();
        Await.until("is looked at", () -> !looks.due.isEmpty());
        looks.look();
        looks.look();
        assertNotEquals(reader, threadOf(behind));
        end.countDown();
        reader.join();
    }

    @Test
    void readsElsewhereBeforeARequestWaitsForItsPeer() throws Exception {
        requests.add(() -> {
            streams.aboutToBlock();
            Await.until("is over", () -> end.getCount() == 0);
        });
        CompletableFuture<Thread> behind = quick();
        Thread reader = new Thread(this::serve);
        reader.start();
        assertNotEquals(reader, threadOf(behind));
        end.countDown();
        reader.join();
    }

    /** As a request does that demands more content while some lies there. */
    @Test
    void readsElsewhereWhenARequestAsks() throws Exception {
        CompletableFuture<Thread> asked = new CompletableFuture<>();
        requests.add(() -> {
            requests.add(() -> asked.complete(Thread.currentThread()));
            strategy.dispatch();
            Await.until("is over", () -> end.getCount() == 0);
        });
        Thread reader = new Thread(this::serve);
        reader.start();
        assertNotEquals(reader, threadOf(asked));
        end.countDown();
        reader.join();
    }

    @Test
    void hasAnotherThreadReadAfterASlowRequest() throws Exception {
        requests.add(() -> {
            long begin = System.nanoTime();
            Await.until(
                    "takes longer than a quick one", () -> System.nanoTime() - begin > 10 * StreamExecutor.QUICK_NANOS);
        });
        CompletableFuture<Thread> next = new CompletableFuture<>();
        CompletableFuture<Thread> behind = new CompletableFuture<>();
        requests.add(() -> {
            next.complete(Thread.currentThread());
            behind.join();
        });
        requests.add(() -> behind.complete(Thread.currentThread()));
        serve();
        assertNotEquals(threadOf(next), threadOf(behind));
    }

    @Test
    void looksNoLongerWhenNothingRuns() throws Exception {
        CompletableFuture<Thread> ran = quick();
        serve();
        assertSame(Thread.currentThread(), threadOf(ran));
        looks.look();
        assertEquals(0, looks.due.size());
    }
}
