package dev.millrace.connector;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that close connections for callers that must not wait for the application, such as the scheduler. Such a thread itself tells
 * the connection of its end. All threads of the pool may be waiting for that end, so it must not be left to them.
 */
final class ClosingThread {
    private static final Logger LOG = LoggerFactory.getLogger(ClosingThread.class);
    private static final ThreadLocal<Boolean> CURRENT = new ThreadLocal<>();

    private ClosingThread() {}

    /** Whether the current thread is one. */
    static boolean isCurrent() {
        return CURRENT.get() != null;
    }

    /**
     * Runs a task that closes connections, on one.
     *
     * @param threads runs a task at once; if it has no thread for it the current one does
     */
    static void run(Executor threads, Runnable task) {
        try {
            threads.execute(() -> run(task));
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            LOG.debug("No thread but this one: {}", x.toString());
            run(task);
        }
    }

    private static void run(Runnable task) {
        CURRENT.set(true);
        try {
            task.run();
        } catch (Throwable x) {
            LOG.warn("Cannot end a connection in order", x);
        } finally {
            CURRENT.remove();
        }
    }
}
