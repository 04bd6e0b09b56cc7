package dev.millrace.connector;

import java.io.Closeable;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.util.ProcessorUtils;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Lets the thread that has answered a request go on with the next one of the connection. Before it leaves the connection to the
 * selector, the thread lets others run, and looks whether the next request is there. A busy peer's often is, and then neither
 * the selector nor a thread of the pool is woken for it. After a look in vain the thread skips the next looks: 1, then 3, 7 and so
 * on, at most 64.
 *
 * <p>A selector's own thread serves other connections too: it goes on only after it has left the selector to another thread.
 *
 * <p>Belongs to the thread that runs the connection's task; the selector publishes its fields to the next. While a task
 * returns, the next one of the connection may run already. So a thread trusts a field only if it has written its own
 * name there.
 */
final class RequestLoop implements Invocable.Task, Closeable {
    private static final int MAX_LOOKS_TO_SKIP = 64;
    // An updater spares an object for each of many idle connections.
    private static final AtomicReferenceFieldUpdater<RequestLoop, Thread> THREAD =
            AtomicReferenceFieldUpdater.newUpdater(RequestLoop.class, Thread.class, "thread");

    private final AbstractEndPoint endPoint;
    // What the selector wants to be done for the connection.
    private final Runnable task;
    // Also read by a thread that answers a malformed request.
    private volatile @Nullable Thread thread;
    private @Nullable Thread staying;
    private int requests;
    // Bytes, because every idle connection keeps them.
    private byte looksToSkip;
    private byte looksSkipped;
    // Written by the thread that selects, and then by the one that runs the task.
    private boolean inSelector;
    private boolean asBlocking;
    private boolean mayBlock;
    // Whether a look for the next request goes on, whether it has read, and whether it has found something.
    private boolean looking;
    private boolean looked;
    private boolean found;

    RequestLoop(AbstractEndPoint endPoint, Runnable task) {
        this.endPoint = endPoint;
        this.task = task;
    }

    /** Whether this runs a task for the selector. */
    boolean runs(Runnable selectedTask) {
        return task == selectedTask;
    }

    /**
     * @param inSelector whether the thread that is to begin is the selector's own, which {@link SelectorExecutor} looks after
     * @param asBlocking whether the task is told to be blocking, whatever it is: see {@link Dispatch}
     */
    void place(boolean inSelector, boolean asBlocking) {
        this.inSelector = inSelector;
        this.asBlocking = asBlocking;
    }

    @Override
    public void run() {
        Thread current = Thread.currentThread();
        thread = current;
        // A thread for which this is false is, or may be, the selector's.
        mayBlock = !inSelector && Invocable.getInvocationType(task) == InvocationType.BLOCKING;
        looking = false;
        requests = 1;
        try {
            task.run();
            while (staying == current) {
                staying = null;
                look();
            }
        } finally {
            // The connection's next task may run already, on another thread.
            THREAD.compareAndSet(this, current, null);
            // The interrupt was meant for the handler that has returned. A stopping selector would take it for its own
            // end, and its stop would wait without end (ManagedSelector.select).
            Thread.interrupted();
        }
    }

    /** The thread that runs the task, if any. */
    @Nullable Thread thread() {
        return thread;
    }

    /**
     * Has another thread select, unless one does already.
     *
     * @param selectorExecutor of the connection's selector
     * @return whether this thread runs this, and does not select, or no longer
     */
    boolean yieldSelector(SelectorExecutor selectorExecutor) {
        if (thread != Thread.currentThread()) {
            return false;
        }
        if (!inSelector) {
            return true;
        }
        mayBlock = mayBlock || selectorExecutor.leave();
        return mayBlock;
    }

    /** As {@link #yieldSelector}, before the application is called: it may block. */
    void leaveSelector(SelectorExecutor selectorExecutor) {
        if (inSelector && thread == Thread.currentThread()) {
            mayBlock = mayBlock || selectorExecutor.leaveToPool();
        }
    }

    private void look() {
        // The interrupt was meant for the handler that has returned, not for the next.
        Thread.interrupted();
        Thread.yield();
        looking = true;
        looked = false;
        found = false;
        endPoint.getFillInterest().fillable();
    }

    /**
     * Called when the connection wants its next request, after the interest was registered.
     *
     * @param executor runs the tasks; the thread goes on only if it is a pool of platform threads that has some to spare
     * @return whether this thread will look for the request; if not, the selector does
     */
    boolean stayForNextRequest(int maxRequests, Executor executor) {
        if (thread != Thread.currentThread() || !mayBlock) {
            return false;
        }
        if (looking) {
            looking = false;
            looksToSkip = (byte) (found ? 0 : Math.min(MAX_LOOKS_TO_SKIP, looksToSkip * 2 + 1));
            looksSkipped = 0;
            if (!found) {
                return false;
            }
            requests++;
        }
        if (requests >= maxRequests) {
            return false;
        }
        if (looksSkipped < looksToSkip) {
            looksSkipped++;
            return false;
        }
        if (!hasThreadsToSpare(executor)) {
            return false;
        }
        staying = thread;
        return true;
    }

    // Other executors cannot tell, or have threads without end: there the peer that was answered last must not be
    // first. With one processor a thread that stays keeps those from running that were woken for the others.
    static boolean hasThreadsToSpare(Executor executor) {
        return ProcessorUtils.availableProcessors() > 1
                && executor instanceof QueuedThreadPool pool
                && pool.getVirtualThreadsExecutor() == null
                && !pool.isLowOnThreads();
    }

    /** Whether this thread has just looked in vain: Jetty's connection asks twice, which would cost a system call each time. */
    boolean hasLookedInVain() {
        return looking && looked && !found && thread == Thread.currentThread();
    }

    /**
     * Called with what the connection has read.
     *
     * @return whether this is the first of a request that this thread has looked for
     */
    boolean onFilled(int bytes) {
        if (!looking || looked || thread != Thread.currentThread()) {
            return false;
        }
        looked = true;
        found = bytes != 0;
        return bytes > 0;
    }

    @Override
    public InvocationType getInvocationType() {
        // For any other type Jetty's strategy would not ask for a thread that selects meanwhile.
        return inSelector || asBlocking ? InvocationType.BLOCKING : Invocable.getInvocationType(task);
    }

    // A pool that rejects a task closes it, and with it the connection.
    @Override
    public void close() {
        endPoint.close();
    }
}
