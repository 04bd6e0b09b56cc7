package dev.millrace.connector;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one selector selecting although its thread runs handlers ({@link Dispatch}). Jetty's strategy runs a task on the thread
 * that found it, if another thread stands ready to go on selecting. This executor claims that one does. It provides the
 * thread only when the task has waited for its peer or the disk for some milliseconds, or has run for a second. So a task
 * that does not block wakes no thread, and one that blocks delays the selector's connections by a bounded time.
 *
 * <p>A task that is about to take long without waiting may call {@link #leave}: another thread that stands ready then selects.
 *
 * <p>A second thread that selects does no harm: the strategy lets it go.
 *
 * <p>Public for JMX alone; a connector makes one for each selector.
 */
@ManagedObject("Executor of one selector")
public final class SelectorExecutor implements TryExecutor, VirtualThreads.Configurable {
    private static final Logger LOG = LoggerFactory.getLogger(SelectorExecutor.class);
    /** After this time a task that may wait, and has not returned, has another thread select. */
    static final long WAIT_MILLIS = 5;
    /** After this time, or twice it, any other task does. */
    static final long RUN_MILLIS = 1000;

    private final Executor executor;
    private final TryExecutor reserved;
    private final Scheduler scheduler;
    private final String name;
    // Makes threads to select, when the pool has none ready.
    private final ThreadFactory threads;
    private final AtomicBoolean looking = new AtomicBoolean();
    private AdaptiveExecutionStrategy strategy;
    // Belongs to the thread that selects.
    private boolean runsHere;
    // A thread finds itself here only if it has written this: with any other value it does not select.
    private @Nullable Thread selecting;
    private volatile long waitingTask;
    private volatile boolean unwatched;
    // Belongs to the thread that has set looking, and then to the scheduler's.
    private long seenWaitingTask;
    // Belongs to the scheduler's thread.
    private long seenTask;
    // What Jetty's reset has taken from the hand-overs. Guarded by this.
    private long handOversLost;

    SelectorExecutor(Executor executor, Scheduler scheduler, String name) {
        this(executor, scheduler, name, threadsNamed(name));
    }

    SelectorExecutor(Executor executor, Scheduler scheduler, String name, ThreadFactory threads) {
        this.executor = executor;
        this.threads = threads;
        this.reserved = TryExecutor.asTryExecutor(executor);
        this.scheduler = scheduler;
        this.name = name;
    }

    private static ThreadFactory threadsNamed(String name) {
        AtomicLong ids = new AtomicLong();
        return task -> {
            // Nothing of the request whose thread makes this one goes to others.
            Thread thread = new Thread(null, task, name + "-" + ids.incrementAndGet(), 0, false);
            thread.setContextClassLoader(SelectorExecutor.class.getClassLoader());
            return thread;
        };
    }

    /** Takes on the selector that was made with this as its executor. */
    void takeOn(AdaptiveExecutionStrategy selectorsStrategy) {
        strategy = selectorsStrategy;
    }

    static SelectorExecutor of(ManagedSelector selector) {
        return selector.getBean(AdaptiveExecutionStrategy.class).getBean(SelectorExecutor.class);
    }

    @ManagedAttribute("Ready connections that another thread than the selecting one served")
    public synchronized long getHandOvers() {
        // This is subtracted, so it is read first: a task that returns meanwhile would be subtracted without being
        // counted.
        long returned = strategy.getEPCProduceCount();
        long count = strategy.getPECTasksExecuted() + strategy.getEPCTasksConsumed() - returned;
        // Jetty's reset sets the other two to zero, but not this count.
        handOversLost = Math.max(handOversLost, -count);
        return count + handOversLost;
    }

    /** Looks after the selector, until it is stopped. */
    void start() {
        unwatched = false;
        try {
            scheduler.schedule(this::watch, RUN_MILLIS, TimeUnit.MILLISECONDS);
        } catch (Throwable x) {
            // The next look, of a task that may wait, tries again.
            unwatched = true;
            LOG.debug("Nobody watches {}", name, x);
        }
    }

    /** Called by the selecting thread before it hands a task to the strategy: whether it is to run it itself. */
    void place(boolean here) {
        runsHere = here;
    }

    /**
     * Called by a thread that may be about to wait for a peer, or for the disk.
     *
     * @return whether the thread is this selector's, which then would wait too
     */
    boolean aboutToBlock() {
        // While the strategy produces, no task holds it up. This thread may have left it, and select for another
        // selector.
        if (selecting != Thread.currentThread() || !strategy.isIdle()) {
            return false;
        }
        long task = strategy.getEPCTasksConsumed();
        waitingTask = task;
        if (!looking.get() && looking.compareAndSet(false, true)) {
            lookSoon(task);
        }
        return true;
    }

    /**
     * Called by a thread that is about to take long without waiting. Has another thread select at once, if one stands ready.
     *
     * @return whether the caller was the thread that selects, and now is not
     */
    boolean leave() {
        return selecting == Thread.currentThread()
                && strategy.isRunning()
                && (!strategy.isIdle() || reserved.tryExecute(strategy));
    }

    /** As {@link #leave}, but asks the pool for a thread when none stands ready: what follows may block. */
    boolean leaveToPool() {
        if (leave()) {
            return true;
        }
        if (selecting != Thread.currentThread() || !strategy.isRunning()) {
            return false;
        }
        try {
            executor.execute(strategy);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            // The JDK tells by OutOfMemoryError that there is none.
            LOG.debug("No thread for {}: {}", name, noThread.toString());
            return false;
        }
    }

    private void lookSoon(long task) {
        seenWaitingTask = task;
        try {
            scheduler.schedule(this::look, WAIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (Throwable x) {
            // The scheduler has stopped, or there is no memory. The next task that may wait tries again.
            looking.set(false);
            LOG.debug("Nobody looks after {}", name, x);
        }
    }

    // Under load each look finds some task that has just said that it may wait. Only a task that two looks have found
    // does wait. While there are such tasks the looks go on by themselves, because to schedule one wakes the
    // scheduler's thread.
    private void look() {
        if (unwatched && strategy.isRunning()) {
            start();
        }
        long task = waitingTask;
        if (task != seenWaitingTask) {
            lookSoon(task);
            return;
        }
        try {
            if (runsStill(task)) {
                // When there is no thread now, the next look may find one.
                runElsewhere(strategy);
            }
        } finally {
            // Whatever has failed: nobody would notice that the looks have ended.
            looking.set(false);
            if (waitingTask != task && looking.compareAndSet(false, true)) {
                lookSoon(waitingTask);
            }
        }
    }

    private void watch() {
        long task = strategy.getEPCTasksConsumed();
        try {
            if (task == seenTask && runsStill(task)) {
                LOG.debug("A handler has run for {} ms in the thread of {}", RUN_MILLIS, name);
                runElsewhere(strategy);
            }
        } finally {
            seenTask = task;
            if (strategy.isRunning()) {
                start();
            }
        }
    }

    private boolean runsStill(long task) {
        return strategy.isRunning() && strategy.isIdle() && strategy.getEPCTasksConsumed() == task;
    }

    // The pool's queue will not do: all threads of the pool may be waiting for this selector.
    private boolean runElsewhere(Runnable task) {
        try {
            if (!reserved.tryExecute(task)) {
                threads.newThread(task).start();
            }
            return true;
        } catch (Throwable x) {
            // The JDK tells by OutOfMemoryError that there is no thread.
            LOG.warn("No thread for {}: {}", name, x.toString());
            return false;
        }
    }

    @Override
    public boolean tryExecute(Runnable task) {
        if (runsHere) {
            runsHere = false;
            selecting = Thread.currentThread();
            return true;
        }
        return reserved.tryExecute(task);
    }

    // The strategy also calls this without a tryExecute() before. In the instant in which another thread is about to
    // select, it keeps on selecting, and gives away the task that was to run here.
    @Override
    public void execute(Runnable task) {
        boolean givenAway = runsHere && strategy.isRunning();
        runsHere = false;
        if (!givenAway || !runElsewhere(task)) {
            executor.execute(task);
        }
    }

    @Override
    public Executor getVirtualThreadsExecutor() {
        return VirtualThreads.getVirtualThreadsExecutor(executor);
    }

    @Override
    public String toString() {
        return "SelectorExecutor[" + name + ",handOvers=" + getHandOvers() + "]";
    }
}
