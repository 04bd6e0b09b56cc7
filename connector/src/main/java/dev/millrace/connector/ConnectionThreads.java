package dev.millrace.connector;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.VirtualThreads;
import org.jspecify.annotations.Nullable;
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
    /** Handlers have so long to return, before and after they are interrupted: as in Jetty's pool. */
    private static final long STOP_MILLIS = 2500;
    /** As many as the JDK's own carriers at most: a disk that does not answer must not take all threads of the process. */
    private static final int MAX_DISK_THREADS = 256;

    private final String name;
    private final boolean virtual;
    private final Executor executor;
    /** Wait for the disk in place of virtual threads. There are none before a call needs one. */
    private final Executor diskThreads;

    private final Semaphore diskPermits = new Semaphore(MAX_DISK_THREADS);

    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    // Tasks that were taken and have not ended; a thread is among the running ones only once it runs.
    private final AtomicInteger tasks = new AtomicInteger();
    private volatile boolean stopped;

    ConnectionThreads(String name, boolean virtual) {
        this(name, virtual ? virtualThreads(name) : platformThreads(name), virtual);
    }

    ConnectionThreads(String name, Executor executor, boolean virtual) {
        this.name = name;
        this.executor = executor;
        this.virtual = virtual;
        this.diskThreads = platformThreads(name + "-disk");
    }

    // A thread of either kind inherits nothing from the one that asks for it, an acceptor of low priority or a
    // request's. What it serves is another connection.
    private static Executor virtualThreads(String name) {
        if (!VirtualThreads.areSupported()) {
            throw new IllegalStateException("This JDK has no virtual threads: set threads to platform, or to auto");
        }
        ThreadFactory factory;
        try {
            Class<?> type = Class.forName("java.lang.Thread$Builder$OfVirtual");
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            builder = type.getMethod("name", String.class, long.class).invoke(builder, name + "-", 0L);
            builder = type.getMethod("inheritInheritableThreadLocals", boolean.class)
                    .invoke(builder, false);
            factory = (ThreadFactory) type.getMethod("factory").invoke(builder);
        } catch (ReflectiveOperationException x) {
            throw new IllegalStateException("This JDK has virtual threads of an unknown kind", x);
        }
        makePollers();
        return task -> factory.newThread(task).start();
    }

    // The JDK makes them when the first virtual thread waits for a socket. That takes descriptors: if none is left just
    // then, no virtual thread can ever wait for a socket again, in the whole process (NoClassDefFoundError). A busy
    // connector may come to wait late.
    private static void makePollers() {
        try {
            Class.forName("sun.nio.ch.Poller");
        } catch (ClassNotFoundException x) {
            LOG.debug("This JDK makes its pollers in some other way: {}", x.toString());
        } catch (LinkageError x) {
            throw new IllegalStateException(
                    "This JDK cannot wait for the sockets of virtual threads: has the process too many files open?", x);
        }
    }

    // Cached, so that a hand-over costs a wake-up and not a new thread. An idle thread stays for a minute, as those of
    // Jetty's pool: a thousand of a burst are there for the next.
    private static Executor platformThreads(String name) {
        AtomicLong ids = new AtomicLong();
        return Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(null, task, name + "-" + ids.incrementAndGet(), 0, false);
            thread.setPriority(Thread.NORM_PRIORITY);
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
        execute(new Task(null, task));
    }

    /**
     * Begins something that lives long, on the thread that it then lives on. Of the beginning nothing is kept, neither
     * what it was given nor its frames on the thread's stack. Idle connections are many.
     *
     * @param beginning returns what to run after it; null for nothing
     */
    void begin(Supplier<@Nullable Runnable> beginning) {
        execute(new Task(beginning, null));
    }

    private void execute(Task task) {
        tasks.incrementAndGet();
        try {
            if (stopped) {
                throw new RejectedExecutionException("the connector has stopped");
            }
            executor.execute(task);
        } catch (Throwable x) {
            tasks.decrementAndGet();
            throw x;
        }
    }

    /** A call that uses a file, and returns a number of bytes. */
    @FunctionalInterface
    interface FileCall {
        int call() throws IOException;
    }

    /**
     * Makes a call that may wait for the disk. JDK 25 takes no carrier from a thread that waits for a file. So a virtual thread parks, and
     * one of the system makes the call in its place. Without such a thread, this one makes the call.
     *
     * @return what the call returned
     */
    int callOnPlatformThread(FileCall call) throws IOException {
        AwaitedCall awaited = new AwaitedCall(call);
        diskPermits.acquireUninterruptibly();
        try {
            diskThreads.execute(awaited);
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            LOG.debug("No thread but this one to wait for the disk: {}", x.toString());
            awaited.run();
        }
        try {
            return awaited.await();
        } finally {
            diskPermits.release();
        }
    }

    /** A call for whose end the thread waits that has made this. Neither takes memory once the call has begun. */
    private static final class AwaitedCall implements Runnable {
        private final Thread waiting = Thread.currentThread();
        private final FileCall call;
        private int result;
        private @Nullable Throwable failure;
        private volatile boolean hasEnded;

        AwaitedCall(FileCall call) {
            this.call = call;
        }

        @Override
        public void run() {
            try {
                result = call.call();
            } catch (Throwable x) {
                failure = x;
            } finally {
                hasEnded = true;
                LockSupport.unpark(waiting);
            }
        }

        // An interrupt does not end the wait: the call uses what was lent to the thread that waits.
        private int await() throws IOException {
            boolean interrupted = false;
            while (!hasEnded) {
                try {
                    LockSupport.park(this);
                } catch (OutOfMemoryError x) {
                    // JDK 21 may lack the memory to park. The call still uses what was lent.
                    Thread.onSpinWait();
                }
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (failure != null) {
                throw IO.rethrow(failure);
            }
            return result;
        }
    }

    /** What one thread runs. */
    private final class Task implements Runnable {
        private @Nullable Supplier<@Nullable Runnable> beginning;
        private @Nullable Runnable life;

        Task(@Nullable Supplier<@Nullable Runnable> beginning, @Nullable Runnable life) {
            this.beginning = beginning;
            this.life = life;
        }

        @Override
        public void run() {
            Thread thread = Thread.currentThread();
            try {
                note(thread);
                // The thread must not keep the class loader of the web application whose request made it.
                thread.setContextClassLoader(ConnectionThreads.class.getClassLoader());
                if (beginning != null) {
                    life = beginning.get();
                    beginning = null;
                }
                if (life != null) {
                    life.run();
                }
            } finally {
                running.remove(thread);
                tasks.decrementAndGet();
            }
        }

        // A failure has a stop pass the thread by. Thrown on, it would lose the task: an accepted socket would stay
        // open.
        private void note(Thread thread) {
            try {
                running.add(thread);
            } catch (Throwable x) {
                LOG.debug("Cannot note {}", thread, x);
            }
        }
    }

    /**
     * Ends connections: by their protocols, if that takes no longer than it may; and waits for the threads, which are
     * interrupted if they take long.
     *
     * @param endPoints those that are connected at any moment
     * @param waiting how many threads wait for their peers, and have nothing more to say to them
     * @param mostMillis how long the others have before their end points are closed
     */
    void end(Collection<EndPoint> endPoints, LongSupplier waiting, long mostMillis) {
        Thread stopping = Thread.currentThread();
        try {
            // It has a thread of its own: TLS, to say farewell, waits for a lock that its writer may hold.
            execute(() -> OrderlyEnd.end(endPoints, MillraceEndPoint::isWritePending, stopping, this, mostMillis));
        } catch (Throwable x) {
            LOG.debug("No thread to end connections in order", x);
        }
        long begin = NanoTime.now();
        awaitNoneBut(waiting, mostMillis);
        // Closing the end point itself waits for no thread, and wakes those that read or write.
        List.copyOf(endPoints).forEach(IO::close);
        if (!awaitNoneBut(() -> 0, Math.max(STOP_MILLIS, mostMillis) - NanoTime.millisSince(begin))) {
            // This thread may be one of them, and has more to stop after this.
            running.stream().filter(thread -> thread != stopping).forEach(Thread::interrupt);
            if (!awaitNoneBut(() -> 0, STOP_MILLIS)) {
                LOG.warn("{} threads {} did not end", running.size(), name);
            }
        }
    }

    /** Waits until no task is left but those that wait for others; returns whether that came in time. */
    private boolean awaitNoneBut(LongSupplier waiting, long timeoutMillis) {
        // The thread that stops the connector may be one of them: it cannot wait for itself.
        int own = running.contains(Thread.currentThread()) ? 1 : 0;
        return Waiting.until(timeoutMillis, () -> tasks.get() <= waiting.getAsLong() + own);
    }

    /** Takes no more tasks, and lets go of idle threads. */
    void stop() {
        stopped = true;
        for (Executor threads : new Executor[] {executor, diskThreads}) {
            if (threads instanceof ExecutorService pool) {
                pool.shutdown();
            }
        }
    }
}
