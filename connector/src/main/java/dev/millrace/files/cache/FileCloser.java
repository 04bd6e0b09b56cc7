package dev.millrace.files.cache;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes files, one after the other, on a thread of the server's. From JDK 22 on the end of a mapping is a handshake
 * with all threads of the JVM. With 20 of them it takes a tenth of a millisecond, which is nothing for a request. But many
 * threads that do so at once hold up each other, and all requests, for seconds. Thread-safe.
 */
public final class FileCloser {
    private static final Logger LOG = LoggerFactory.getLogger(FileCloser.class);
    private static final int BEHIND_FILES = 256;

    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    /** Null before a start and after a stop: the caller closes. */
    private volatile @Nullable Worker worker;

    /**
     * One job on the threads of one start. A pool that stops may have taken a job that it never runs. A job that still
     * runs must not let a second one in beside the next start's.
     */
    private record Worker(Executor executor, AtomicBoolean working) {}

    /** @param executor closes from now on */
    public void start(Executor executor) {
        worker = new Worker(executor, new AtomicBoolean());
    }

    /** Closes what waits; what comes later is closed by its caller. */
    public void stop() {
        worker = null;
        closeWaiting();
    }

    /** Whether files come faster than they can be closed. Mappings are then better left to the garbage collector. */
    boolean isBehind() {
        return count.get() > BEHIND_FILES;
    }

    /** @param close ends the mappings, and closes the channel */
    public void close(Runnable close) {
        count.incrementAndGet();
        waiting.add(close);
        work();
    }

    private void work() {
        Worker current = worker;
        if (current == null) {
            closeWaiting();
        } else if (current.working().compareAndSet(false, true)) {
            try {
                current.executor().execute(() -> closeAll(current));
            } catch (Throwable noThread) {
                // Whatever it is: a job that never comes would keep all others from being asked for.
                LOG.debug("Closing files on the current thread: {}", noThread.toString());
                closeAll(current);
            }
        }
    }

    private void closeAll(Worker current) {
        try {
            closeWaiting();
        } finally {
            current.working().set(false);
        }
        if (!waiting.isEmpty()) {
            work();
        }
    }

    /** Closes what waits, on the current thread. */
    void closeWaiting() {
        for (Runnable close = waiting.poll(); close != null; close = waiting.poll()) {
            try {
                close.run();
            } catch (RuntimeException | Error x) {
                // The next file is to be closed all the same.
                LOG.warn("Cannot close a file", x);
            } finally {
                count.decrementAndGet();
            }
        }
    }
}
