package dev.millrace.transfer;

import java.io.IOException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.ContainerLifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that transfer files over channels that do not block. So neither an application's threads nor a selector's
 * wait for a disk or a slow client. Turns are taken first come, first served. Thread-safe once started.
 */
@ManagedObject("Threads that transfer files")
public final class TransferWorkers extends ContainerLifeCycle implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(TransferWorkers.class);
    private static final int IDLE_THREAD_MILLIS = 10_000;

    private final QueuedThreadPool threads = new QueuedThreadPool(50, 0, IDLE_THREAD_MILLIS);
    private final ConcurrentLinkedDeque<WriteSelector> writeSelectors = new ConcurrentLinkedDeque<>();
    private NewWriteSelector newWriteSelector = WriteSelector::new;

    /** Opens a write selector, which takes a descriptor. */
    interface NewWriteSelector {
        WriteSelector open() throws IOException;
    }

    /** With 50 threads at most. */
    public TransferWorkers() {
        threads.setReservedThreads(0);
        setWorkers(threads.getMaxThreads());
        addBean(threads);
    }

    /** @param name of the threads; before start */
    public void setName(String name) {
        threads.setName(name);
    }

    /** @param workers the most threads, at least 1; before start */
    public void setWorkers(int workers) {
        if (workers < 1) {
            throw new IllegalArgumentException("workers is at least 1, not " + workers);
        }
        threads.setMaxThreads(workers);
        // Jetty's pool would let only one thread go in each idle timeout.
        threads.setMaxEvictCount(workers);
    }

    /** @param newWriteSelector for tests; before start */
    void setNewWriteSelector(NewWriteSelector newWriteSelector) {
        this.newWriteSelector = newWriteSelector;
    }

    @ManagedAttribute("Threads in a turn at this moment")
    public int getBusy() {
        // Jetty takes the idle ones away at a second look, which more threads may have come before.
        return threads.isRunning() ? Math.max(0, threads.getBusyThreads()) : 0;
    }

    @ManagedAttribute("Transfers that wait for a thread")
    public int getQueued() {
        return threads.isRunning() ? threads.getQueueSize() : 0;
    }

    /** @return whether transfers wait for a thread */
    public boolean isCrowded() {
        return threads.getQueueSize() > 0;
    }

    /**
     * @param turn run by a worker, after those that came before
     * @throws java.util.concurrent.RejectedExecutionException when the workers have stopped
     * @throws OutOfMemoryError when there is no worker, and no thread for one
     */
    @Override
    public void execute(Runnable turn) {
        execute(threads, turn);
    }

    /**
     * Gives a task to an executor. Jetty's pool queues the task before it asks the system for another thread. When there is none to be
     * had, the threads that the pool has do the task.
     *
     * @throws OutOfMemoryError when a pool has no thread, and when another executor gets none
     */
    public static void execute(Executor executor, Runnable task) {
        try {
            executor.execute(task);
        } catch (OutOfMemoryError x) {
            if (!(executor instanceof QueuedThreadPool pool) || pool.getThreads() == 0) {
                throw x;
            }
            LOG.debug("No thread but those of {}: {}", pool, x.toString());
        }
    }

    /**
     * @return a write selector that no worker uses; given back by {@link #releaseWriteSelector}
     * @throws IOException when the system has no descriptor left
     */
    public WriteSelector acquireWriteSelector() throws IOException {
        WriteSelector writeSelector = writeSelectors.pollFirst();
        return writeSelector == null ? newWriteSelector.open() : writeSelector;
    }

    /** @param writeSelector at which no worker waits any more */
    public void releaseWriteSelector(WriteSelector writeSelector) {
        try {
            writeSelector.leave();
            writeSelectors.addFirst(writeSelector);
            if (isStopping() || isStopped()) {
                // A worker may end after the stop has closed those that were there.
                closeWriteSelectors();
            }
        } catch (IOException x) {
            LOG.warn("Closing a selector of {}", this, x);
            IO.close(writeSelector);
        }
    }

    @Override
    protected void doStop() throws Exception {
        super.doStop();
        closeWriteSelectors();
    }

    private void closeWriteSelectors() {
        for (WriteSelector writeSelector = writeSelectors.poll();
                writeSelector != null;
                writeSelector = writeSelectors.poll()) {
            IO.close(writeSelector);
        }
    }
}
