package dev.millrace.connector;

import dev.millrace.transfer.TransferWorkers;
import java.io.Closeable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.ProcessorUtils;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.ThreadPool;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executor of a connector's connections. Requests of HTTP/2 that were read together, and are short, have one thread ({@link Http2Turns}).
 * All else goes to the pool as it is. Of its threads this tells what the pool tells: Jetty's {@code LowResourceMonitor} asks.
 *
 * <p>A thread that has a turn finds it in a thread-local. Jetty calls {@link #tryExecute} and {@link #execute} in any thread. The turn is
 * asked if the caller has one, and reads.
 *
 * <p>There are as many places as threads may have their turn at once. The scheduler's thread looks at them every few milliseconds
 * while one is taken.
 *
 * <p>Thread-safe. Public for JMX alone.
 */
@ManagedObject("Executor of the requests of HTTP/2")
public final class StreamExecutor implements TryExecutor, ThreadPool, VirtualThreads.Configurable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamExecutor.class);
    private static final ThreadLocal<@Nullable Turn> TURN = new ThreadLocal<>();
    static final int NO_PLACE = -1;
    /** From one look at the turns to the next: one that has made no progress in between ends. */
    private static final long LOOK_MILLIS = 5;
    /** So many places a thread tries before it does without one. */
    private static final int TRIES = 4;

    private final Executor pool;
    private final TryExecutor reserved;
    private final Scheduler scheduler;
    private final BooleanSupplier mayCollect;
    private final AtomicReferenceArray<@Nullable Turn> places =
            new AtomicReferenceArray<>(16 * ProcessorUtils.availableProcessors());
    private final AtomicBoolean looking = new AtomicBoolean();
    private final LongAdder waits = new LongAdder();
    private volatile long pauseEndNanoTime = NanoTime.now();
    private volatile Scheduler.@Nullable Task nextLook;

    /** The turn of a thread of a connection. The thread itself calls what nothing else is said of. */
    interface Turn {
        /** Whether the thread reads: what it has for the pool are requests. */
        boolean reads();

        /** Whether the task, which the thread has for the pool, is one of several requests that it has read, and is taken over. */
        boolean takes(Runnable task);

        /** Whether the requests that the thread has read are run together: then they need no thread that reads on. */
        boolean collects();

        /** Called by a thread that no longer reads. */
        void endReading();

        /** Called by the thread, which may be about to wait, or in its stead by one that reads after it. */
        void aboutToBlock();

        /** Called again and again by the scheduler's thread. A turn in which no request has begun since ends. */
        void look();
    }

    /** @param mayCollect whether requests that were read together may have one thread now */
    StreamExecutor(Executor pool, Scheduler scheduler, BooleanSupplier mayCollect) {
        this.pool = pool;
        this.reserved = TryExecutor.asTryExecutor(pool);
        this.scheduler = scheduler;
        this.mayCollect = mayCollect;
    }

    /** Called when the scheduler has been started: as it stopped it may have dropped a look. One that it has kept is cancelled. */
    void start() {
        Scheduler.Task before = nextLook;
        if (before != null) {
            before.cancel();
        }
        looking.set(false);
    }

    @ManagedAttribute(
            "Requests of HTTP/2 that waited, and let those that were read with them have threads of their own")
    public long getWaits() {
        return waits.sum();
    }

    @Override
    public boolean tryExecute(Runnable task) {
        Turn turn = TURN.get();
        if (turn == null || !turn.reads() || !(task instanceof AdaptiveExecutionStrategy)) {
            return reserved.tryExecute(task);
        }
        // The strategy then gives away each of the requests, and reads on itself.
        if (turn.collects() || !reserved.tryExecute(task)) {
            return false;
        }
        // This thread runs one request, and another one reads on.
        turn.endReading();
        return true;
    }

    @Override
    public void execute(Runnable task) {
        Turn turn = TURN.get();
        if (turn == null || !turn.takes(task)) {
            pool.execute(task);
        }
    }

    @Override
    public void join() throws InterruptedException {
        if (pool instanceof ThreadPool threads) {
            threads.join();
        }
    }

    /** @return 0 for a pool that does not tell */
    @Override
    public int getThreads() {
        return pool instanceof ThreadPool threads ? threads.getThreads() : 0;
    }

    /** @return 0 for a pool that does not tell */
    @Override
    public int getIdleThreads() {
        return pool instanceof ThreadPool threads ? threads.getIdleThreads() : 0;
    }

    /** @return false for a pool that does not tell */
    @Override
    public boolean isLowOnThreads() {
        return pool instanceof ThreadPool threads && threads.isLowOnThreads();
    }

    /** Jetty's pool keeps what it gets no thread for: those that it has run it. */
    void toPool(Runnable task) {
        TransferWorkers.execute(pool, task);
    }

    /** Closes what the pool rejects, as Jetty's strategy does. */
    void toPoolOrClose(Runnable task) {
        try {
            toPool(task);
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            LOG.debug("No thread for a request: {}", x.toString());
            if (task instanceof Closeable closeable) {
                IO.close(closeable);
            }
        }
    }

    @Override
    public @Nullable Executor getVirtualThreadsExecutor() {
        return VirtualThreads.getVirtualThreadsExecutor(pool);
    }

    /** Called by any thread that may be about to wait. */
    static void aboutToBlock() {
        Turn turn = TURN.get();
        if (turn != null) {
            turn.aboutToBlock();
        }
    }

    @Nullable Turn turn() {
        return TURN.get();
    }

    void begin(Turn turn) {
        TURN.set(turn);
    }

    void end() {
        TURN.set(null);
    }

    boolean mayCollect() {
        return mayCollect.getAsBoolean();
    }

    void onWait() {
        waits.increment();
    }

    long pauseEndNanoTime() {
        return pauseEndNanoTime;
    }

    void pause(long endNanoTime) {
        pauseEndNanoTime = endNanoTime;
    }

    /** Takes a place, from which the scheduler's thread looks after a turn; {@link #NO_PLACE} when none is found at once. */
    int enter(Turn turn) {
        int first = (int) Thread.currentThread().getId();
        for (int i = 0; i < TRIES; i++) {
            int place = Math.floorMod(first + i, places.length());
            if (places.get(place) == null && places.compareAndSet(place, null, turn)) {
                if (!looking.get() && looking.compareAndSet(false, true) && !scheduleLook()) {
                    leave(place);
                    return NO_PLACE;
                }
                return place;
            }
        }
        return NO_PLACE;
    }

    void leave(int place) {
        places.set(place, null);
    }

    private boolean scheduleLook() {
        try {
            nextLook = scheduler.schedule(this::look, LOOK_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (Throwable x) {
            // The scheduler has stopped, or there is no memory. Whoever takes a place next tries again.
            looking.set(false);
            LOG.debug("Nobody looks after requests of HTTP/2", x);
            return false;
        }
    }

    // To schedule a look wakes the scheduler's thread: while there is something to look at, the looks go on by
    // themselves.
    private void look() {
        boolean found = true;
        try {
            found = lookAtAll();
        } finally {
            // Whatever has failed: nobody would notice that the looks have ended.
            lookOn(found);
        }
    }

    private void lookOn(boolean found) {
        boolean goesOn = found;
        if (!found) {
            looking.set(false);
            goesOn = isAnyTaken() && looking.compareAndSet(false, true);
        }
        if (goesOn) {
            scheduleLook();
        }
    }

    private boolean lookAtAll() {
        boolean found = false;
        for (int i = 0; i < places.length(); i++) {
            Turn turn = places.get(i);
            if (turn != null) {
                found = true;
                lookAt(turn);
            }
        }
        return found;
    }

    private static void lookAt(Turn turn) {
        try {
            turn.look();
        } catch (Throwable x) {
            // One connection's fault must not end the looks at the others.
            LOG.warn("Cannot look after requests of HTTP/2", x);
        }
    }

    private boolean isAnyTaken() {
        for (int i = 0; i < places.length(); i++) {
            if (places.get(i) != null) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return "StreamExecutor[waits=" + getWaits() + ",pool=" + pool + "]";
    }
}
