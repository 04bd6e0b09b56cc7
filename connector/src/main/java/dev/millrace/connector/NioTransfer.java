package dev.millrace.connector;

import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.Transfer;
import dev.millrace.transfer.TransferWorkers;
import dev.millrace.transfer.WriteGate;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a connection of a selector sends announced regions: who sends next, and when. The thread that writes the response
 * begins; workers go on, a turn at a time, or the selector's thread; between turns the connection waits in the workers'
 * queue or, when its socket is full, at its selector.
 *
 * <p>Flushes are serialized by Jetty's write flusher, and the fields of a flush with them.
 */
final class NioTransfer implements Invocable.Task, Transfer.Peer {
    private static final Logger LOG = LoggerFactory.getLogger(NioTransfer.class);
    // What takes longer than to wake a thread: see decision 0018.
    private static final int LEAVES_SELECTOR_BYTES = 256 * 1024;

    /** Who has the transfer. */
    private enum Stage {
        /** The thread that writes the response. */
        WRITER,
        /** The workers' queue: the socket takes more, but no worker is free. */
        QUEUED,
        /** A worker. */
        TURN,
        /** The selector's thread. */
        SELECTED,
        /** A worker that waits for the peer. */
        WAITING,
        /** The selector: the socket is full. */
        PARKED,
        /** All is sent; a thread of the server is to tell the application so. */
        SENT
    }

    private final NioEndPoint endPoint;
    private final TransferWorkers workers;
    private final Executor executor;
    private volatile Stage stage = Stage.WRITER;
    private volatile Transfer transfer;
    private volatile WriteGate gate;
    private volatile boolean cancelled;
    private boolean mayBlockWhenSent;

    NioTransfer(NioEndPoint endPoint, TransferWorkers workers, Executor executor) {
        this.endPoint = endPoint;
        this.workers = workers;
        this.executor = executor;
    }

    void announce(Transfer announced) {
        stage = Stage.WRITER;
        transfer = announced;
    }

    void withdraw() {
        Transfer withdrawn = transfer;
        transfer = null;
        stage = Stage.WRITER;
        if (withdrawn != null) {
            withdrawn.end();
        }
    }

    /** The announced region, or null. */
    FileRegion region() {
        Transfer current = transfer;
        return current == null ? null : current.region();
    }

    /** Whether the thread that writes the response is to write the token with what is before it. */
    boolean beginsWith(ByteBuffer[] buffers, int token) throws IOException {
        if (stage != Stage.WRITER || !transfer.beginsWith(buffers, token)) {
            return false;
        }
        if (Invocable.isNonBlockingInvocation()) {
            return transfer.isLoaded();
        }
        // To ask first seemed to cost more: see decision 0015.
        endPoint.mayWait();
        return true;
    }

    /** Sends a part of the region. Called by a flush that has nothing left to write before it. */
    boolean send() throws IOException {
        Stage before = stage;
        if (before != Stage.WRITER && before != Stage.TURN && before != Stage.SELECTED) {
            // The flusher's second call: this turn has ended already.
            return false;
        }
        if (before == Stage.WRITER && transfer.region().remaining() == 0) {
            // It has left with the header.
            return true;
        }
        Transfer.Step step;
        if (before == Stage.TURN) {
            step = turn();
        } else if (before == Stage.SELECTED) {
            endPoint.mayWait();
            step = transfer.selectorTurn(endPoint.getChannel(), this);
        } else if (Invocable.isNonBlockingInvocation() && transfer.beginsOnDisk()) {
            step = Transfer.Step.OVER;
        } else {
            step = begin();
        }
        if (step != Transfer.Step.DONE) {
            stage = step == Transfer.Step.OVER ? Stage.QUEUED : Stage.PARKED;
        }
        return step == Transfer.Step.DONE;
    }

    private Transfer.Step begin() throws IOException {
        if (transfer.beginBytes() < LEAVES_SELECTOR_BYTES || !endPoint.leavesSelector()) {
            endPoint.mayWait();
        }
        return transfer.begin(endPoint.getChannel(), this);
    }

    private Transfer.Step turn() throws IOException {
        try {
            return transfer.turn(endPoint.getChannel(), this);
        } finally {
            WriteGate left = gate;
            if (left != null) {
                gate = null;
                workers.leaveGate(left);
            }
        }
    }

    /** Whether a worker, or a selector, has just sent the rest, and must not run what the application does next. */
    boolean endsElsewhere() {
        if ((stage == Stage.TURN || stage == Stage.SELECTED) && mayBlockWhenSent) {
            stage = Stage.SENT;
            return true;
        }
        return false;
    }

    /** Goes on with an incomplete write; false: when the selector finds that the socket takes more. */
    boolean goOn() {
        switch (stage) {
            case QUEUED -> queue();
            case SENT -> complete();
            default -> {
                if (transfer != null) {
                    stage = Stage.PARKED;
                }
                return false;
            }
        }
        return true;
    }

    /**
     * The socket of a parked transfer takes more.
     *
     * @return whether the selector's thread is to {@link #run} the next turn; otherwise it waits for a worker now
     */
    boolean onWritable(boolean hasMoreToDo) {
        Transfer current = transfer;
        if (!hasMoreToDo && current != null && current.suitsSelector()) {
            stage = Stage.SELECTED;
            return true;
        }
        stage = Stage.QUEUED;
        queue();
        return false;
    }

    private void queue() {
        try {
            workers.execute(this);
        } catch (RejectedExecutionException x) {
            endPoint.close(x);
        }
    }

    private void complete() {
        Runnable end = endPoint.getWriteFlusher()::completeWrite;
        try {
            if (executor instanceof QueuedThreadPool pool) {
                TransferWorkers.execute(pool, end);
            } else {
                executor.execute(end);
            }
        } catch (RejectedExecutionException x) {
            endPoint.close(x);
        }
    }

    /** A turn, by a worker or by the selector's thread. */
    @Override
    public void run() {
        if (stage != Stage.SELECTED) {
            stage = Stage.TURN;
        }
        InvocationType next = endPoint.getWriteFlusher().getCallbackInvocationType();
        mayBlockWhenSent = next == InvocationType.BLOCKING || next == InvocationType.EITHER && stage == Stage.SELECTED;
        try {
            endPoint.getWriteFlusher().completeWrite();
        } catch (Throwable x) {
            LOG.warn("Closing {}", endPoint, x);
            endPoint.close(x);
        }
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    @Override
    public void onTransferred(int bytes) {
        endPoint.onSent(bytes);
    }

    @Override
    public boolean isCrowded() {
        return workers.isCrowded();
    }

    @Override
    public boolean canWait() {
        try {
            if (gate == null) {
                gate = workers.enterGate();
            }
            return true;
        } catch (IOException x) {
            LOG.debug("Left to the selector: {}", endPoint, x);
            return false;
        }
    }

    @Override
    public boolean awaitWritable(int millis) throws IOException {
        stage = Stage.WAITING;
        boolean writable = !cancelled && gate.await(endPoint.getChannel(), millis);
        if (cancelled || !endPoint.isOpen()) {
            throw new EofException("write was cancelled");
        }
        stage = Stage.TURN;
        return writable;
    }

    /** Ends a worker's wait for the peer, now and from now on. */
    void cancel() {
        cancelled = true;
        WriteGate waiting = gate;
        if (waiting != null) {
            waiting.wakeup();
        }
    }

    /** Whether the selector is to find that the socket takes more. */
    boolean isParked() {
        return stage == Stage.PARKED;
    }

    /** Whether a worker waits for the peer. */
    boolean isWaiting() {
        return stage == Stage.WAITING;
    }

    /** Whether it is this server that makes the peer wait. */
    boolean isQueued() {
        return stage == Stage.QUEUED || stage == Stage.SENT;
    }
}
