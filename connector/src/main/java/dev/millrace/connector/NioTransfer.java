package dev.millrace.connector;

import dev.millrace.transfer.FileFailedException;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.transfer.TransferWorkers;
import dev.millrace.transfer.WriteSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transfer of one announced region over a channel that does not block. The thread that writes the response begins. Workers
 * go on, a turn at a time, or the selector's thread. Between turns the connection waits in the workers' queue or, when its
 * socket is full, at its selector.
 *
 * <p>Jetty's write flusher lets one thread at a time flush; the fields that are not volatile belong to that thread.
 */
final class NioTransfer implements Invocable.Task {
    private static final Logger LOG = LoggerFactory.getLogger(NioTransfer.class);
    /** From so many bytes on, a thread is woken to select: to send them takes longer than that (decision 0018). */
    static final int LEAVES_SELECTOR_BYTES = 256 * 1024;
    /** How far into a region the bytes lie by which its file is known again, see {@link FileRegion#beforeFirst}. */
    private static final int KNOWN_BY_BYTES = 64 * 1024;

    private static final int UNKNOWN = -1;

    /** Which thread goes on with the transfer. */
    private enum Stage {
        /** The thread that writes the response. */
        WRITER,
        /** The next worker that is free: the socket takes more. */
        QUEUED,
        /** A worker, now. */
        TURN,
        /** The selector's thread, now. */
        SELECTED,
        /** A worker, which waits for the peer. */
        WAITING,
        /** The thread that the selector chooses, when the socket is no longer full. */
        PARKED,
        /** A thread of the server, which tells the application that all is sent. */
        SENT
    }

    private final MillraceEndPoint endPoint;
    private final FileRegion region;
    private final TransferAlgorithm.Policy policy;
    private final TransferWorkers workers;
    private final SelectorExecutor selectorExecutor;
    // Tells the application of the end.
    private final Executor executor;
    private volatile Stage stage = Stage.WRITER;
    private volatile @Nullable WriteSelector writeSelector;
    private volatile boolean cancelled;
    private volatile boolean sending;
    private boolean mayBlockWhenSent;
    private int selectorBytes;
    private int firstBytes = UNKNOWN;
    // Whether a worker writes the header too, and looks at the file first.
    private boolean leftToWorker;

    NioTransfer(
            MillraceEndPoint endPoint,
            FileRegion region,
            TransferAlgorithm.Policy policy,
            TransferWorkers workers,
            SelectorExecutor selectorExecutor,
            Executor executor) {
        this.endPoint = endPoint;
        this.region = region;
        this.policy = policy;
        this.workers = workers;
        this.selectorExecutor = selectorExecutor;
        this.executor = executor;
    }

    FileRegion region() {
        return region;
    }

    /**
     * Writes the header of a response, and the token with it where that leaves from its mapping: {@link #send} goes on with the rest.
     *
     * @param requestLoop of the connection; null when no request was read by one
     * @return whether all is written that is before the token
     */
    boolean writeHeader(ByteBuffer[] buffers, int token, @Nullable RequestLoop requestLoop) throws IOException {
        if (!leavesWithHeader(buffers, token)) {
            return beforeHeader(requestLoop) && endPoint.write(buffers, 0, token);
        }
        region.beforeFirst(false);
        try {
            endPoint.write(buffers, 0, token + 1);
        } catch (EofException x) {
            // To the system, a page of the mapping that cannot be read is an address that does not exist.
            throw region.failureOf(x);
        }
        region.advance(0);
        return GatherWriter.skipEmpty(buffers, 0, token) == token;
    }

    private boolean leavesWithHeader(ByteBuffer[] buffers, int token) throws IOException {
        if (stage != Stage.WRITER || !region.leavesWithHeader(buffers, token)) {
            return false;
        }
        if (Invocable.isNonBlockingInvocation()) {
            return region.isLoaded(region.remaining());
        }
        // Asking mincore(2) first seemed to cost more (decision 0015).
        selectorExecutor.aboutToBlock();
        return true;
    }

    // Called before the header is written without the token. It promises this version of the file, which may be written
    // over once the client has it. False when this thread must not wait for the disk: then a worker writes the header.
    private boolean beforeHeader(@Nullable RequestLoop requestLoop) {
        if (region.sent() > 0) {
            return true;
        }
        // The flusher's second call: unless all is a worker's, the header has left.
        if (stage == Stage.QUEUED) {
            return !leftToWorker;
        }
        if (stage == Stage.WRITER) {
            firstBytes = firstBytes(requestLoop);
            leftToWorker = firstBytes == 0 && mustNotWait() && !region.isLoaded(KNOWN_BY_BYTES);
            if (leftToWorker) {
                stage = Stage.QUEUED;
                return false;
            }
        }
        selectorExecutor.aboutToBlock();
        region.beforeFirst(leftToWorker);
        return true;
    }

    // With SimpleBlocking a worker may come late, and the header is not to wait for it. So this thread looks at the
    // file, and another one selects after some milliseconds.
    private boolean mustNotWait() {
        return Invocable.isNonBlockingInvocation() || (policy.firstBytes() > 0 && selectorExecutor.aboutToBlock());
    }

    /**
     * Sends a part of the region. Called by a flush that has nothing left to write before it.
     *
     * @param requestLoop of the connection; null when no request was read by one
     * @return whether all is sent
     */
    boolean send(@Nullable RequestLoop requestLoop) throws IOException {
        Stage before = stage;
        if (before == Stage.WRITER && region.remaining() == 0) {
            // The region has left with the header.
            return true;
        }
        int bytes = bytesOfTurn(before, requestLoop);
        if (bytes == 0) {
            if (before == Stage.WRITER) {
                stage = Stage.QUEUED;
            }
            return false;
        }
        boolean byWorker = before == Stage.TURN;
        if (!byWorker) {
            leavesSelector(before == Stage.SELECTED ? 0 : bytes, requestLoop);
        }
        Stage next;
        try {
            next = turn(bytes, byWorker);
        } catch (IOException x) {
            region.failed(x);
            throw x instanceof FileFailedException ? x : new EofException(x);
        } finally {
            releaseWriteSelector();
        }
        if (next != null) {
            stage = next;
        }
        return next == null;
    }

    private int bytesOfTurn(Stage now, @Nullable RequestLoop requestLoop) {
        return switch (now) {
            case WRITER -> firstBytes == UNKNOWN ? firstBytes(requestLoop) : firstBytes;
            case TURN -> policy.turnBytes();
            case SELECTED -> {
                region.onSelectorTurn();
                yield selectorBytes;
            }
            // The flusher's second call: this turn has ended already.
            default -> 0;
        };
    }

    /** What the thread that writes the response sends by itself; 0: all is left to the workers. */
    private int firstBytes(@Nullable RequestLoop requestLoop) {
        int bytes = Math.min(policy.firstBytes(), region.remaining());
        boolean mayWait = !Invocable.isNonBlockingInvocation()
                && (bytes < LEAVES_SELECTOR_BYTES || leavesSelector(bytes, requestLoop));
        return mayWait || region.isLoaded(bytes) ? bytes : 0;
    }

    // Whether this thread does not select, or no longer. If it does, another does too after some milliseconds. To send
    // a large part of a file takes longer than to wake a thread.
    private boolean leavesSelector(int bytes, @Nullable RequestLoop requestLoop) {
        return (bytes >= LEAVES_SELECTOR_BYTES && requestLoop != null && requestLoop.yieldSelector(selectorExecutor))
                || !selectorExecutor.aboutToBlock();
    }

    /**
     * Sends one turn.
     *
     * @param byWorker whether the thread may wait for the peer, and may go on with the next turn
     * @return the stage that follows; null when all is sent
     */
    private @Nullable Stage turn(int bytes, boolean byWorker) throws IOException {
        region.onTurn();
        int left = bytes;
        while (region.remaining() > 0) {
            if (cancelled) {
                // As where the socket is full: who cancels waits for that, and tells of the end and its cause.
                return Stage.PARKED;
            }
            if (left == 0) {
                if (!byWorker || !policy.keepsWorker(workers.isCrowded())) {
                    return Stage.QUEUED;
                }
                left = bytes;
            }
            int want = Math.min(Math.min(left, TransferAlgorithm.TURN_BYTES), region.remaining());
            int sent = region.transferTo(endPoint.getChannel(), want);
            if (sent > 0) {
                left -= sent;
                endPoint.onSent(sent);
            }
            // Less than asked for means full: asking again would cost a system call to hear 0.
            if (sent < want && !awaitsRoom(sent, byWorker)) {
                return Stage.PARKED;
            }
        }
        return null;
    }

    private boolean awaitsRoom(int sent, boolean byWorker) throws IOException {
        int millis = policy.waitMillis(sent, NanoTime.now(), !byWorker || workers.isCrowded());
        WriteSelector selector = byWorker && millis != 0 ? acquireWriteSelector() : null;
        if (selector == null) {
            return false;
        }
        stage = Stage.WAITING;
        boolean writable = !cancelled && selector.await(endPoint.getChannel(), Math.max(0, millis));
        if (cancelled || !endPoint.isOpen()) {
            throw new EofException("write was cancelled");
        }
        stage = Stage.TURN;
        // A wait without limit may have been ended by a wake-up that was meant for the selector's last user.
        return writable || millis == TransferAlgorithm.Policy.UNLIMITED;
    }

    /** Returns the selector by which this thread can wait; null when the system refuses a descriptor. */
    private @Nullable WriteSelector acquireWriteSelector() {
        try {
            WriteSelector acquired = writeSelector == null ? workers.acquireWriteSelector() : writeSelector;
            writeSelector = acquired;
            return acquired;
        } catch (IOException x) {
            LOG.debug("Left to the selector: {}", endPoint, x);
            return null;
        }
    }

    private void releaseWriteSelector() {
        WriteSelector left = writeSelector;
        if (left != null) {
            writeSelector = null;
            workers.releaseWriteSelector(left);
        }
    }

    /** Whether this thread has sent the rest, but must not run what the application does next: a worker, or a selector's. */
    boolean endsElsewhere() {
        if ((stage == Stage.TURN || stage == Stage.SELECTED) && mayBlockWhenSent) {
            stage = Stage.SENT;
            return true;
        }
        return false;
    }

    /**
     * Goes on with an incomplete write.
     *
     * @return false when the selector is to find that the socket takes more
     */
    boolean goOn() {
        switch (stage) {
            case QUEUED -> execute(workers, this);
            case SENT -> execute(executor, endPoint.getWriteFlusher()::completeWrite);
            default -> {
                stage = Stage.PARKED;
                return false;
            }
        }
        return true;
    }

    /**
     * The socket of a parked transfer takes more.
     *
     * @param hasMoreToDo whether the selector's thread has another task for this connection
     * @return whether the selector's thread is to {@link #run} the next turn; otherwise the transfer waits for a worker now
     */
    boolean onWritable(boolean hasMoreToDo) {
        if (!hasMoreToDo && suitsSelector()) {
            stage = Stage.SELECTED;
            return true;
        }
        stage = Stage.QUEUED;
        execute(workers, this);
        return false;
    }

    // A short turn, which does not need the disk as far as the system tells.
    private boolean suitsSelector() {
        selectorBytes = policy.selectorBytes(NanoTime.now());
        return selectorBytes > 0 && region.isLoaded(selectorBytes);
    }

    private void execute(Executor threads, Runnable task) {
        try {
            TransferWorkers.execute(threads, task);
        } catch (RejectedExecutionException x) {
            endPoint.close(x);
        }
    }

    /** Takes a turn, on a worker or on the selector's thread. */
    @Override
    public void run() {
        if (stage != Stage.SELECTED) {
            stage = Stage.TURN;
        }
        InvocationType next = endPoint.getWriteFlusher().getCallbackInvocationType();
        mayBlockWhenSent =
                next == InvocationType.BLOCKING || (next == InvocationType.EITHER && stage == Stage.SELECTED);
        try {
            endPoint.getWriteFlusher().completeWrite();
        } catch (Throwable x) {
            LOG.warn("Closing {}", endPoint, x);
            endPoint.close(x);
        }
    }

    // For any other type Jetty's strategy would not ask for a thread that selects meanwhile.
    @Override
    public InvocationType getInvocationType() {
        return InvocationType.BLOCKING;
    }

    /** Ends the turn after the call that it is in, and a worker's wait for the peer, now and from now on. */
    void cancel() {
        cancelled = true;
        WriteSelector waiting = writeSelector;
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

    /** Told by each flush, when it begins and when it ends. */
    void setSending(boolean sending) {
        this.sending = sending;
    }

    /** Whether a thread sends, and waits for nothing but the disk: then it is this server that makes the peer wait. */
    boolean isSending() {
        return sending && stage != Stage.WAITING;
    }

    /** Whether it is this server that makes the peer wait for a thread. */
    boolean isQueued() {
        return stage == Stage.QUEUED || stage == Stage.SENT;
    }
}
