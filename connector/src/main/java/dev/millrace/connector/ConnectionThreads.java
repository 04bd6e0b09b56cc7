package dev.millrace.connector;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.VirtualThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a blocking connector: as many as its connections ask for. Never the server's pool, which ends at its
 * maximum (and Jetty's pool of virtual threads at 200 tasks), however many connections there are.
 *
 * <p>Thread-safe.
 */
final class ConnectionThreads implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionThreads.class);
    private static final long IDLE_THREAD_SECONDS = 10;

    private final boolean virtual;
    private final Executor executor;
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    // Tasks that were taken and have not ended; a thread is among the running ones only once it runs.
    private final AtomicInteger tasks = new AtomicInteger();
    private volatile boolean stopped;

    ConnectionThreads(String name, boolean virtual) {
        this(virtual ? virtualThreads(name) : platformThreads(name), virtual);
    }

    ConnectionThreads(Executor executor, boolean virtual) {
        this.executor = executor;
        this.virtual = virtual;
    }

    // Of either kind: nothing of the thread that asks for one, an acceptor of low priority or a request's, goes to other connections.
    private static Executor virtualThreads(String name) {
        if (!VirtualThreads.areSupported()) {
            throw new IllegalStateException("This JDK has no virtual threads: set threads to platform, or to auto");
        }
        ThreadFactory factory;
        try {
            Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            builder = type.getMethod("name", String.class, long.class).invoke(builder, name + "-", 0L);
            builder = type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(builder, false);
            factory = (ThreadFactory) type.getMethod("factory").invoke(builder);
        } catch (ReflectiveOperationException x) {
            throw new IllegalStateException("This JDK has virtual threads of an unknown kind", x);
        }
        makePollers();
        return task -> factory.newThread(task).start();
    }

    // The JDK makes them when the first virtual thread waits for a socket. That takes descriptors: if none is left just then, no virtual
    // thread can ever wait for a socket again, in the whole process (NoClassDefFoundError). A busy connector may come to wait late.
    private static void makePollers() {
        try {
            Class.forName("sun.nio.ch.Poller");
        } catch (ClassNotFoundException x) {
            LOG.debug("This JDK makes its pollers in some other way: {}", x.toString());
        } catch (LinkageError x) {
            throw new IllegalStateException("This JDK cannot wait for the sockets of virtual threads: has the process too many files open?", x);
        }
    }

    // Cached, so that a hand-over costs a wake-up and not a new thread.
    private static Executor platformThreads(String name) {
        AtomicLong ids = new AtomicLong();
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_THREAD_SECONDS, TimeUnit.SECONDS,
                new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(null, task, name + "-" + ids.incrementAndGet(), 0, false);
                    thread.setPriority(Thread.NORM_PRIORITY);
                    return thread;
                });
    }

    boolean isVirtual() {
        return virtual;
    }

    /** Whether the current thread is one of them. */
    boolean isCurrent() {
        return running.contains(Thread.currentThread());
    }

    int getRunning() {
        return running.size();
    }

    @Override
    public void execute(Runnable task) {
        execute(new Task(null, task));
    }

    /**
     * Begins something that lives long, on the thread that it then lives on: of the beginning nothing is kept, neither what it
     * was given nor its frames on the thread's stack. Idle connections are many.
     *
     * @param beginning returns what to run after it; null for nothing
     */
    void begin(Supplier<Runnable> beginning) {
        execute(new Task(beginning, null));
    }

    private void execute(Task task) {
        tasks.incrementAndGet();
        boolean taken = false;
        try {
            if (stopped) {
                throw new RejectedExecutionException("the connector has stopped");
            }
            executor.execute(task);
            taken = true;
        } finally {
            if (!taken) {
                tasks.decrementAndGet();
            }
        }
    }

    /** What one thread runs. */
    private final class Task implements Runnable {
        private Supplier<Runnable> beginning;
        private Runnable life;

        Task(Supplier<Runnable> beginning, Runnable life) {
            this.beginning = beginning;
            this.life = life;
        }

        @Override
        public void run() {
            Thread thread = Thread.currentThread();
            running.add(thread);
            // As Jetty's pools: not the class loader of the web application whose request made the thread.
            thread.setContextClassLoader(ConnectionThreads.class.getClassLoader());
            try {
                begin();
                if (life != null) {
                    life.run();
                }
            } finally {
                running.remove(thread);
                tasks.decrementAndGet();
            }
        }

        private void begin() {
            if (beginning != null) {
                life = beginning.get();
                beginning = null;
            }
        }
    }

    /**
     * Waits until no task is left.
     *
     * @param timeoutMillis how long to wait
     * @return whether none is left
     */
    boolean awaitNone(long timeoutMillis) {
        long begin = NanoTime.now();
        // The thread that stops the connector may be one of them: it cannot wait for itself.
        while (tasks.get() > (isCurrent() ? 1 : 0)) {
            if (NanoTime.millisSince(begin) >= timeoutMillis) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        return true;
    }

    /** Interrupts the threads that run. */
    void interrupt() {
        running.forEach(Thread::interrupt);
    }

    /** Takes no more tasks, and lets go of idle threads. */
    void stop() {
        stopped = true;
        if (executor instanceof ThreadPoolExecutor pool) {
            pool.shutdownNow();
        }
    }
}
