package dev.millrace.connector;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.util.ProcessorUtils;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
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
    private final boolean hasOneProcessor = ProcessorUtils.availableProcessors() == 1;
    private final AtomicBoolean looking = new AtomicBoolean();
    private AdaptiveExecutionStrategy strategy;
    // Belongs to the thread that selects. A task's number is how many the strategy has run, getEPCTasksConsumed().
    private boolean runsHere;
    // A thread finds itself here only if it has written this: with any other value it does not select.
    private @Nullable Thread selecting;
    // With one processor: whether a thread that is to select has yet to begin. Only a thread that selects sets this.
    private volatile boolean anotherComes;
    private volatile long waitingTaskNumber;
    private volatile boolean unwatched;
    // Belongs to the thread that has set looking, and then to the scheduler's.
    private long seenWaitingTaskNumber;
    // Belongs to the scheduler's thread.
    private long seenTaskNumber;
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

    /** Called by the selecting thread before it hands a task to the strategy. With {@code here}, that thread runs the task itself. */
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
        long taskNumber = strategy.getEPCTasksConsumed();
        waitingTaskNumber = taskNumber;
        if (!looking.get() && looking.compareAndSet(false, true)) {
            lookSoon(taskNumber);
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

    private void lookSoon(long taskNumber) {
        seenWaitingTaskNumber = taskNumber;
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
        long taskNumber = waitingTaskNumber;
        if (taskNumber != seenWaitingTaskNumber) {
            lookSoon(taskNumber);
            return;
        }
        try {
            if (runsStill(taskNumber)) {
                // When there is no thread now, the next look may find one.
                runElsewhere(strategy);
            }
        } finally {
            // Whatever has failed: nobody would notice that the looks have ended.
            looking.set(false);
            if (waitingTaskNumber != taskNumber && looking.compareAndSet(false, true)) {
                lookSoon(waitingTaskNumber);
            }
        }
    }

    private void watch() {
        long taskNumber = strategy.getEPCTasksConsumed();
        try {
            if (taskNumber == seenTaskNumber && runsStill(taskNumber)) {
                LOG.debug("A handler has run for {} ms in the thread of {}", RUN_MILLIS, name);
                runElsewhere(strategy);
            }
        } finally {
            seenTaskNumber = taskNumber;
            if (strategy.isRunning()) {
                start();
            }
        }
    }

    private boolean runsStill(long taskNumber) {
        return strategy.isRunning() && strategy.isIdle() && strategy.getEPCTasksConsumed() == taskNumber;
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
        return (hasOneProcessor && task == strategy) ? haveAnotherCome() : reserved.tryExecute(task);
    }

    /**
     * Has another thread select as soon as the current one gives it the processor: at the latest when it waits. One that was asked for
     * and has not begun is not asked for again. See decision 0099.
     */
    private boolean haveAnotherCome() {
        // The strategy became idle before this looks. A thread that begins after that finds it so, and selects.
        if (!anotherComes) {
            anotherComes = true;
            if (!reserved.tryExecute(this::select) && !haveAnotherOfPoolCome()) {
                anotherComes = false;
                return false;
            }
        }
        return true;
    }

    // With threads to spare the pool's queue is no risk: each of its tasks has a thread.
    private boolean haveAnotherOfPoolCome() {
        if (!(executor instanceof QueuedThreadPool pool)
                || pool.getVirtualThreadsExecutor() != null
                || pool.isLowOnThreads()) {
            return false;
        }
        try {
            pool.execute(this::select);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            LOG.debug("No thread for {}: {}", name, noThread.toString());
            return false;
        }
    }

    private void select() {
        anotherComes = false;
        strategy.run();
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
