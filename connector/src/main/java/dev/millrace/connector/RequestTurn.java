package dev.millrace.connector;

import java.io.Closeable;
import java.util.concurrent.Executor;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A thread's turn with a connection: a request, and those that follow at once. Before the thread leaves the connection to the
 * selector, it lets others run, and looks whether the next request is there. A busy peer's often is; then nobody is woken for it,
 * neither the selector nor a thread of the pool. Where it was not, the thread leaves at once the next times, about twice as many
 * after each look in vain.
 *
 * <p>A selector's own thread has others to serve: its turn ends with each request, unless it has left the selector to another.
 *
 * <p>Belongs to the thread that runs the connection's task; its fields are handed on through the selector. While a task
 * returns, the connection's next one may run already: a thread believes only what it alone writes, its own name.
 */
final class RequestTurn implements Invocable.Task, Closeable {
    private static final int MAX_TO_PASS = 64;

    private final NioEndPoint endPoint;
    private final Runnable task;
    private Thread thread;
    private Thread staying;
    private int requests;
    // Bytes, for every idle connection keeps them.
    private byte toPass;
    private byte passed;
    // Of the thread that selects, and then of the one that runs the task.
    private boolean inSelector;
    private boolean mayBlock;
    private boolean looking;
    private boolean looked;
    private boolean found;

    /**
     * @param endPoint of the connection
     * @param task what the selector wants to be done for it
     */
    RequestTurn(NioEndPoint endPoint, Runnable task) {
        this.endPoint = endPoint;
        this.task = task;
    }

    /** @param inSelector whether the thread that is to begin is the selector's own, which {@link SelectorDuty} looks after */
    void setInSelector(boolean inSelector) {
        this.inSelector = inSelector;
    }

    @Override
    public void run() {
        Thread current = Thread.currentThread();
        thread = current;
        // Otherwise this is, or may be, the selector's thread.
        mayBlock = !inSelector && getInvocationType() == InvocationType.BLOCKING;
        looking = false;
        requests = 1;
        try {
            task.run();
            while (staying == current) {
                staying = null;
                look();
            }
        } finally {
            if (thread == current) {
                thread = null;
            }
            // Meant for the handler that has returned. A selector that stops takes it for its own end, and is then waited for
            // without end (ManagedSelector.select).
            Thread.interrupted();
        }
    }

    /**
     * Has another thread select, unless one does already.
     *
     * @param duty of the connection's selector
     * @return whether this thread does not select, or no longer
     */
    boolean leavesSelector(SelectorDuty duty) {
        if (!inSelector) {
            return true;
        }
        if (thread != Thread.currentThread()) {
            return false;
        }
        mayBlock = mayBlock || duty.leave();
        return mayBlock;
    }

    private void look() {
        // Meant for the handler that has returned, not for the next.
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
     * @param maxRequests the most requests of a turn
     * @param executor runs the tasks; unless it is a pool of platform threads that has some to spare, the turn ends
     * @return whether this thread will look for it; otherwise the selector is to
     */
    boolean goesOn(int maxRequests, Executor executor) {
        if (thread != Thread.currentThread() || !mayBlock) {
            return false;
        }
        if (looking) {
            looking = false;
            toPass = (byte) (found ? 0 : Math.min(MAX_TO_PASS, toPass * 2 + 1));
            passed = 0;
            if (!found) {
                return false;
            }
            requests++;
        }
        if (requests >= maxRequests) {
            return false;
        }
        if (passed < toPass) {
            passed++;
            return false;
        }
        if (!hasThreadsToSpare(executor)) {
            return false;
        }
        staying = thread;
        return true;
    }

    // Others cannot say, or have no end of threads: there the one that was answered last must not be the next as well.
    private static boolean hasThreadsToSpare(Executor executor) {
        return executor instanceof QueuedThreadPool pool && pool.getVirtualThreadsExecutor() == null && !pool.isLowOnThreads();
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
        // Of other types Jetty's strategy would not ask who selects meanwhile.
        return inSelector ? InvocationType.BLOCKING : Invocable.getInvocationType(task);
    }

    // Closeable, because a pool that rejects a task closes it, and with it the connection.
    @Override
    public void close() {
        endPoint.close();
    }
}
