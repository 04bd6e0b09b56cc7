package dev.millrace.connector;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.VirtualThreads;

/**
 * The threads of a blocking connector: as many as its connections ask for. Never the server's pool, which ends at its
 * maximum (and Jetty's pool of virtual threads at 200 tasks), however many connections there are.
 *
 * <p>Thread-safe.
 */
final class ConnectionThreads implements Executor {
    private static final long IDLE_THREAD_SECONDS = 10;

    private final boolean virtual;
    private final Executor executor;
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();

    ConnectionThreads(String name, boolean virtual) {
        this.virtual = virtual;
        this.executor = virtual ? virtualThreads(name) : platformThreads(name);
    }

    private static Executor virtualThreads(String name) {
        Executor executor = VirtualThreads.getNamedVirtualThreadsExecutor(name + "-");
        if (executor == null) {
            throw new IllegalStateException("This JDK has no virtual threads: set threads to platform, or to auto");
        }
        return executor;
    }

    // Cached, so that a hand-over costs a wake-up and not a new thread.
    private static Executor platformThreads(String name) {
        AtomicLong ids = new AtomicLong();
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_THREAD_SECONDS, TimeUnit.SECONDS,
                new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(task, name + "-" + ids.incrementAndGet());
                    // As Jetty's pools: not the class loader of the web application whose request made the thread.
                    thread.setContextClassLoader(ConnectionThreads.class.getClassLoader());
                    return thread;
                });
    }

    boolean isVirtual() {
        return virtual;
    }

    int getRunning() {
        return running.size();
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(() -> {
            Thread thread = Thread.currentThread();
            running.add(thread);
            try {
                task.run();
            } finally {
                running.remove(thread);
            }
        });
    }

    /**
     * Takes no more tasks, and waits for those that run; interrupts them halfway through the time.
     *
     * @param timeoutMillis how long to wait in all
     * @return whether all are done
     */
    boolean stop(long timeoutMillis) {
        long begin = NanoTime.now();
        boolean done = awaitNone(begin, timeoutMillis / 2);
        if (!done) {
            running.forEach(Thread::interrupt);
            done = awaitNone(begin, timeoutMillis);
        }
        if (executor instanceof ThreadPoolExecutor pool) {
            pool.shutdownNow();
        }
        return done;
    }

    private boolean awaitNone(long begin, long timeoutMillis) {
        // The thread that stops the connector may be one of them: it cannot wait for itself.
        while (!running.isEmpty() && !(running.size() == 1 && running.contains(Thread.currentThread()))) {
            if (NanoTime.millisSince(begin) >= timeoutMillis) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return true;
    }
}
