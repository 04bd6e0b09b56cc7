package dev.millrace.transfer;

import java.lang.reflect.Field;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Workers that get as many threads as the test says, and no more, in the way in which the JDK tells of it. */
final class ExhaustibleWorkers {
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger left;

    ExhaustibleWorkers(TransferWorkers workers, int threads) throws Exception {
        left = new AtomicInteger(threads);
        QueuedThreadPool pool = workers.getBean(QueuedThreadPool.class);
        // The pool has no setting for it.
        Field field = QueuedThreadPool.class.getDeclaredField("_threadFactory");
        field.setAccessible(true);
        ThreadFactory factory = (ThreadFactory) field.get(pool);
        field.set(pool, (ThreadFactory) task -> {
            if (left.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                refused.incrementAndGet();
                throw new OutOfMemoryError("unable to create native thread");
            }
            return factory.newThread(task);
        });
    }

    /** From now on they get that many. */
    void allow(int threads) {
        left.set(threads);
    }

    /** How many times there was no thread. */
    int refused() {
        return refused.get();
    }
}
