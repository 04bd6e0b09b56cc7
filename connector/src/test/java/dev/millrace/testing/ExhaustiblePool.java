package dev.millrace.testing;

import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A pool that gets no more threads when the test says so, in the way in which the JDK tells of it. */
public final class ExhaustiblePool extends QueuedThreadPool {
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean exhausted;

    public ExhaustiblePool() {
        // None that stands ready to go on selecting: such a one is asked for by a task of the pool's own.
        setReservedThreads(0);
        setName("exhaustible");
    }

    public void setExhausted(boolean exhausted) {
        this.exhausted = exhausted;
    }

    /** How many times there was no thread. */
    public int failures() {
        return failures.get();
    }

    @Override
    public Thread newThread(Runnable task) {
        if (exhausted) {
            failures.incrementAndGet();
            throw new OutOfMemoryError("unable to create native thread");
        }
        return super.newThread(task);
    }
}
