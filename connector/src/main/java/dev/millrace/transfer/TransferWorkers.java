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
 * The threads that transfer files over channels that do not block, so that neither an application's threads nor a
 * selector's wait for a disk or a slow client. Turns are taken first come, first served. Thread-safe once started.
 */
@ManagedObject("Threads that transfer files")
public final class TransferWorkers extends ContainerLifeCycle implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(TransferWorkers.class);
    private static final int IDLE_THREAD_MILLIS = 10_000;

    private final QueuedThreadPool threads = new QueuedThreadPool(50, 0, IDLE_THREAD_MILLIS);
    private final ConcurrentLinkedDeque<WriteGate> gates = new ConcurrentLinkedDeque<>();
    private NewGate newGate = WriteGate::new;

    /** Opens gates. */
    interface NewGate {
        WriteGate open() throws IOException;
    }

    /** With 50 threads at most. */
    public TransferWorkers() {
        threads.setReservedThreads(0);
        addBean(threads);
    }

    /** @param name of the threads; before start */
    public void setName(String name) {
        threads.setName(name);
    }

    /** @param workers the most threads, at least 1; before start */
    public void setWorkers(int workers) {
        threads.setMaxThreads(workers);
    }

    /** @param newGate for tests; before start */
    void setNewGate(NewGate newGate) {
        this.newGate = newGate;
    }

    @ManagedAttribute("Most threads that transfer at once")
    public int getWorkers() {
        return threads.getMaxThreads();
    }

    @ManagedAttribute("Threads in a turn at this moment")
    public int getBusy() {
        return threads.isRunning() ? threads.getBusyThreads() : 0;
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
     * @throws OutOfMemoryError when there is no worker, and no thread for one
     */
    @Override
    public void execute(Runnable turn) {
        execute(threads, turn);
    }

    /**
     * Gives a task to a pool, which queues it before it asks for another thread: without one the task is done all the same, by those
     * that the pool has.
     *
     * @throws OutOfMemoryError when it has none
     */
    public static void execute(QueuedThreadPool pool, Runnable task) {
        try {
            pool.execute(task);
        } catch (OutOfMemoryError x) {
            if (pool.getThreads() == 0) {
                throw x;
            }
            LOG.debug("No thread but those of {}: {}", pool, x.toString());
        }
    }

    /**
     * @return a gate that nobody uses, to be given back
     * @throws IOException when there are no descriptors left
     */
    public WriteGate enterGate() throws IOException {
        WriteGate gate = gates.pollFirst();
        return gate == null ? newGate.open() : gate;
    }

    /** @param gate which nobody waits at any more */
    public void leaveGate(WriteGate gate) {
        try {
            gate.leave();
            if (isStopped()) {
                gate.close();
            } else {
                gates.addFirst(gate);
            }
        } catch (IOException x) {
            LOG.warn("Closing a selector of {}", this, x);
            IO.close(gate);
        }
    }

    @Override
    protected void doStop() throws Exception {
        super.doStop();
        for (WriteGate gate = gates.poll(); gate != null; gate = gates.poll()) {
            IO.close(gate);
        }
    }
}
