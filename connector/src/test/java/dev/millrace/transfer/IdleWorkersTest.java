package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;

/** Workers that nobody needs end together, and not one after the other: fifty would take more than eight minutes. */
class IdleWorkersTest {
    private static final int WORKERS = 100;
    private static final int IDLE_MILLIS = 500;

    @Test
    void endTogether() throws Exception {
        TransferWorkers workers = new TransferWorkers();
        workers.setWorkers(WORKERS);
        QueuedThreadPool threads = workers.getBean(QueuedThreadPool.class);
        threads.setIdleTimeout(IDLE_MILLIS);
        workers.start();
        CountDownLatch busy = new CountDownLatch(WORKERS);
        // None is idle before it was counted, however slow the machine is.
        CountDownLatch counted = new CountDownLatch(1);
        for (int i = 0; i < WORKERS; i++) {
            workers.execute(() -> {
                busy.countDown();
                try {
                    counted.await();
                } catch (InterruptedException x) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        assertTrue(busy.await(30, TimeUnit.SECONDS));
        assertEquals(WORKERS, threads.getThreads());
        counted.countDown();
        Await.until("all have ended", () -> threads.getThreads() == 0, threads::toString);
        workers.stop();
    }
}
