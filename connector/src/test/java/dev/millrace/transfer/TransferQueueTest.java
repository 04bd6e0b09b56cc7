package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** First come, first served: threads of selectors' transfers, and permits of the others. */
class TransferQueueTest {
    @Test
    void workersTakeTurnsInOrder() throws Exception {
        TransferWorkers workers = new TransferWorkers();
        workers.setWorkers(1);
        workers.start();
        CountDownLatch go = new CountDownLatch(1);
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(20);
        workers.execute(() -> await(go));
        for (int i = 0; i < 20; i++) {
            int turn = i;
            workers.execute(() -> {
                order.add(turn);
                done.countDown();
            });
        }
        assertTrue(workers.isCrowded());
        assertEquals(20, workers.getQueued());
        go.countDown();
        await(done);
        assertEquals(IntStream.range(0, 20).boxed().toList(), order);
        workers.stop();
        assertEquals(0, workers.getBusy());
    }

    @Test
    void permitsGoToWhomWaitsLongest() throws Exception {
        TransferPermits permits = new TransferPermits();
        permits.setWorkers(1);
        assertTrue(permits.acquire("first", () -> true));
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            String name = "waiter " + i;
            Thread thread = new Thread(() -> {
                order.add(permits.acquire(name, () -> true) ? name : "none");
                permits.release();
            });
            threads.add(thread);
            thread.start();
            int waiting = threads.size();
            Await.until("it waits", () -> permits.getQueued() == waiting);
        }
        permits.release();
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of("waiter 0", "waiter 1", "waiter 2", "waiter 3", "waiter 4"), order);
        assertEquals(0, permits.getBusy());
    }

    @Test
    void aClosedConnectionWaitsForNoPermit() throws Exception {
        TransferPermits permits = new TransferPermits();
        permits.setWorkers(1);
        assertTrue(permits.acquire("first", () -> true));
        assertFalse(permits.acquire("closed", () -> false));
        List<Boolean> acquired = Collections.synchronizedList(new ArrayList<>());
        Thread thread = new Thread(() -> acquired.add(permits.acquire("second", () -> true)));
        thread.start();
        Await.until("it waits", () -> permits.getQueued() == 1);
        permits.cancel("second");
        thread.join();
        assertEquals(List.of(false), acquired);
        assertEquals(1, permits.getBusy());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException x) {
            throw new AssertionError(x);
        }
    }
}
