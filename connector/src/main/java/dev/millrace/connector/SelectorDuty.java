package dev.millrace.connector;

import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.eclipse.jetty.util.thread.strategy.AdaptiveExecutionStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that one selector selects, although its thread runs handlers ({@link Dispatch}). Jetty's strategy
 * lets a task run where it was found if another thread stands ready to go on selecting. Here it is told that one does,
 * and none does, until the task has waited for its peer or the disk for some milliseconds, or run for a second. So a
 * task that does not block wakes nobody, and for one that does no connection of its selector waits, its own among them.
 *
 * <p>A task that is about to take long, though not to wait, may ask for it: then another thread selects at once, if one stands ready.
 *
 * <p>Who selects twice does no harm: the strategy lets go of the second.
 */
final class SelectorDuty implements TryExecutor, VirtualThreads.Configurable {
    private static final Logger LOG = LoggerFactory.getLogger(SelectorDuty.class);
    static final long WAIT_MILLIS = 5;
    static final long RUN_MILLIS = 1000;

    private final Executor executor;
    private final TryExecutor reserved;
    private final Scheduler scheduler;
    private final String name;
    private final ThreadFactory threads;
    private final AtomicBoolean looking = new AtomicBoolean();
    private AdaptiveExecutionStrategy strategy;
    // Of the thread that selects.
    private boolean runsHere;
    // A thread finds itself here only if it has written this itself: any other value says that it does not select.
    private Thread selecting;
    private volatile long waitingTask;
    // Of whoever set looking, and then of the scheduler's thread.
    private long seenWaitingTask;
    // Of the scheduler's thread.
    private long seenTask;
    // Of whoever asks for hand-overs.
    private long notCounted;

    /**
     * @param executor where Jetty's selectors run
     * @param scheduler looks after the tasks
     * @param name of threads that select because no other is there
     */
    SelectorDuty(Executor executor, Scheduler scheduler, String name) {
        this(executor, scheduler, name, threadsNamed(name));
    }

    SelectorDuty(Executor executor, Scheduler scheduler, String name, ThreadFactory threads) {
        this.executor = executor;
        this.threads = threads;
        this.reserved = TryExecutor.asTryExecutor(executor);
        this.scheduler = scheduler;
        this.name = name;
    }

    private static ThreadFactory threadsNamed(String name) {
        AtomicLong ids = new AtomicLong();
        return task -> {
            Thread thread = new Thread(task, name + "-" + ids.incrementAndGet());
            thread.setContextClassLoader(SelectorDuty.class.getClassLoader());
            return thread;
        };
    }

    /** Takes on the selector that was made with this as its executor. */
    void takeOn(ManagedSelector selector) {
        takeOn(selector.getBean(AdaptiveExecutionStrategy.class));
    }

    void takeOn(AdaptiveExecutionStrategy selectorsStrategy) {
        strategy = selectorsStrategy;
    }

    static SelectorDuty of(ManagedSelector selector) {
        return selector.getBean(AdaptiveExecutionStrategy.class).getBean(SelectorDuty.class);
    }

    /** The tasks that another thread ran than the one which found them. */
    synchronized long handOvers() {
        // First what is taken off: a task that returns in between must not take off more than was counted.
        long returned = strategy.getEPCProduceCount();
        long count = strategy.getPECTasksExecuted() + strategy.getEPCTasksConsumed() - returned;
        // Jetty's reset sets the others to zero, and not this one.
        notCounted = Math.max(notCounted, -count);
        return count + notCounted;
    }

    /** Looks after the selector, until it is stopped. */
    void start() {
        scheduler.schedule(this::watch, RUN_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Called by the selecting thread before it hands a task to the strategy: whether it is to run it itself. */
    void place(boolean here) {
        runsHere = here;
    }

    /**
     * Called by whoever may be about to wait: for a peer, or for the disk.
     *
     * @return whether it is this selector that waits with it, if one does
     */
    boolean mayWait() {
        if (selecting != Thread.currentThread()) {
            return false;
        }
        long task = strategy.getEPCTasksConsumed();
        waitingTask = task;
        if (!looking.get() && looking.compareAndSet(false, true)) {
            seenWaitingTask = task;
            lookSoon();
        }
        return true;
    }

    /**
     * Called by whoever is about to take long, though not to wait: has another thread select in the caller's stead, at once, if one stands ready.
     *
     * @return whether the caller was the one that selects, and now is not
     */
    boolean leave() {
        return selecting == Thread.currentThread() && strategy.isRunning() && (!strategy.isIdle() || reserved.tryExecute(strategy));
    }

    private void lookSoon() {
        scheduler.schedule(this::look, WAIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    // Under load each look finds some task that may wait, and has just begun to: only one that the look before has found too is waited for.
    // While there are such tasks the looks go on by themselves, for to schedule one wakes the scheduler's thread.
    private void look() {
        long task = waitingTask;
        if (task != seenWaitingTask) {
            seenWaitingTask = task;
            lookSoon();
            return;
        }
        if (runsStill(task)) {
            selectElsewhere();
        }
        looking.set(false);
        if (waitingTask != task && looking.compareAndSet(false, true)) {
            seenWaitingTask = waitingTask;
            lookSoon();
        }
    }

    private void watch() {
        long task = strategy.getEPCTasksConsumed();
        if (task == seenTask && runsStill(task)) {
            LOG.debug("A handler has run for {} ms in the thread of {}", RUN_MILLIS, name);
            selectElsewhere();
        }
        seenTask = task;
        if (strategy.isRunning()) {
            start();
        }
    }

    private boolean runsStill(long task) {
        return strategy.isRunning() && strategy.isIdle() && strategy.getEPCTasksConsumed() == task;
    }

    private void selectElsewhere() {
        // Without a thread the next look may find one.
        runElsewhere(strategy);
    }

    // Not by the pool's queue: all its threads may be waiting, for this selector.
    private boolean runElsewhere(Runnable task) {
        try {
            if (!reserved.tryExecute(task)) {
                threads.newThread(task).start();
            }
            return true;
        } catch (Throwable x) {
            // No thread: OutOfMemoryError is how the JDK says so.
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

    // Also called without having been asked to try: in the instant in which somebody else is about to select, the strategy keeps on
    // selecting, and gives away what was to run here.
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
        return "SelectorDuty[" + name + ",handOvers=" + handOvers() + "]";
    }
}
