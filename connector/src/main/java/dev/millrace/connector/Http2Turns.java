package dev.millrace.connector;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.http2.CloseState;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.ProcessorUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Short requests of a connection of HTTP/2 that were read together. One thread runs them one after the other, and their answers leave
 * together ({@link HeldWrites}). Jetty wakes a thread for each, which writes by itself.
 *
 * <p>Two kinds of threads have a turn: one that runs collected requests, and one that reads, which runs requests itself that do not
 * block. Either holds back what it writes until its turn ends. A turn that makes no progress for some milliseconds is ended by the
 * scheduler's thread. Each of the requests behind it then has a thread of the pool. So have all of the connection for a while, when
 * they turn out not to be short. Which thread reads is Jetty's choice, a selector's or one of the pool; a runner's is of the pool.
 *
 * <p>The turns of a connection, and what the words here mean:
 * <ul>
 *   <li>A reader's turn lasts from one read to the next. A runner's lasts while it has tasks; there are {@code runs} of these.
 *   <li>A turn <em>takes</em> a task that its thread has for the pool: a runner will run it.
 *   <li>It <em>collects</em> while requests that its thread reads are run together.
 *   <li>It has <em>ended</em>, for one of the reasons above, while its thread goes on. Such a thread holds and takes nothing.
 *   <li>The connection is <em>paused</em> for a while after requests that took long. A new connection begins with the pause of another one
 *       of its connector. In a pause no turn takes anything.
 * </ul>
 *
 * <p>Thread-safe. Loaded only where there is HTTP/2.
 */
final class Http2Turns implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Http2Turns.class);
    /** Requests that take longer on average do not wait for each other. */
    private static final long MOST_MEAN_NANOS = 200_000;
    /** What the mean begins with, and begins with again after a pause. */
    private static final long FIRST_MEAN_NANOS = 150_000;
    /** A request counts as no longer than this: the system may have taken the processor away from it. */
    private static final long MOST_NANOS = 1_000_000;

    private static final long PAUSE_NANOS = 250_000_000;
    private static final long PAUSE_AFTER_WAIT_NANOS = 1_000_000_000;
    /** So many requests wait for each thread, before another one helps. */
    private static final int RUN_LENGTH = 8;

    private final StreamExecutor executor;
    private final HTTP2Session session;
    private final HeldWrites held;
    // These two belong to the thread that reads.
    private long streamsBefore;
    private @Nullable ConnectionTurn reader;
    private volatile boolean closed;
    // All guarded by this.
    private final Queue<Runnable> tasks = new ArrayDeque<>(RUN_LENGTH);
    private int runs;
    private long meanNanos = FIRST_MEAN_NANOS;
    private long pauseEndNanoTime;

    Http2Turns(StreamExecutor executor, HTTP2Session session, HeldWrites held) {
        this.executor = executor;
        this.session = session;
        this.held = held;
        // A pause of its connector's other connections is one for this connection too.
        this.pauseEndNanoTime = executor.pauseEndNanoTime();
    }

    /** A thread's turn. The thread ends it, or for a reason another one does; then it goes on as any other. */
    private final class ConnectionTurn implements StreamExecutor.Turn, Runnable {
        private final boolean isReader;
        // All guarded by the turns of its connection.
        private int place = StreamExecutor.NO_PLACE;
        private boolean ended;
        // Requests that a runner has begun.
        private int steps;
        private long seenSteps = -1;
        private long beginNanoTime;

        private ConnectionTurn(boolean isReader) {
            this.isReader = isReader;
        }

        @Override
        public boolean reads() {
            return isReader && !closed;
        }

        @Override
        public boolean takes(Runnable task) {
            return reads() && take(this, task);
        }

        @Override
        public boolean collects() {
            synchronized (Http2Turns.this) {
                return !ended && mayCollect();
            }
        }

        @Override
        public void run() {
            try {
                executor.begin(this);
                for (Runnable task = next(); task != null; task = next()) {
                    try {
                        task.run();
                    } catch (Throwable x) {
                        LOG.warn("A request has failed", x);
                    } finally {
                        // Nothing of a request goes on to the next, as with the pool's tasks.
                        Thread.interrupted();
                    }
                }
            } catch (Throwable x) {
                // Memory was short, as a rule. No request may wait for a turn that nobody goes on with.
                aboutToBlock();
                throw x;
            } finally {
                executor.end();
                // The last release may have let the session write more, which was held again.
                held.release();
            }
        }

        private @Nullable Runnable next() {
            Runnable task;
            boolean spreads;
            synchronized (Http2Turns.this) {
                measure();
                if (ended) {
                    return null;
                }
                if (!takePlace()) {
                    end();
                }
                task = ended ? null : begin();
                spreads = ended || isPaused(beginNanoTime);
            }
            if (spreads) {
                spread();
            }
            return task == null ? last() : task;
        }

        // What is held leaves before the turn ends: requests that come meanwhile belong to it.
        private @Nullable Runnable last() {
            held.release();
            synchronized (Http2Turns.this) {
                Runnable task = ended ? null : begin();
                if (task == null) {
                    end();
                }
                return task;
            }
        }

        private @Nullable Runnable begin() {
            Runnable task = tasks.poll();
            if (task != null) {
                steps++;
                beginNanoTime = NanoTime.now();
            }
            return task;
        }

        // In a pause nothing is measured: one that follows a wait is the longer, and must not be replaced.
        private void measure() {
            if (steps == 0) {
                return;
            }
            long now = NanoTime.now();
            if (isPaused(now)) {
                return;
            }
            meanNanos += (Math.min(now - beginNanoTime, MOST_NANOS) - meanNanos) / 8;
            if (meanNanos > MOST_MEAN_NANOS) {
                pause(now + PAUSE_NANOS);
            }
        }

        /** Whether the scheduler's thread looks after this turn. */
        private boolean takePlace() {
            if (place == StreamExecutor.NO_PLACE) {
                place = executor.enter(this);
            }
            return place != StreamExecutor.NO_PLACE;
        }

        private void end() {
            if (ended) {
                return;
            }
            ended = true;
            runs -= isReader ? 0 : 1;
            if (place != StreamExecutor.NO_PLACE) {
                executor.leave(place);
            }
        }

        @Override
        public void aboutToBlock() {
            synchronized (Http2Turns.this) {
                if (ended) {
                    return;
                }
                end();
            }
            try {
                held.release();
            } finally {
                spreadOthers();
            }
        }

        // A request that writes is not progress: it may do so for ever, while others wait behind it.
        @Override
        public void look() {
            synchronized (Http2Turns.this) {
                long begun = isReader ? session.getStreamsOpened() : steps;
                if (ended || begun != seenSteps) {
                    seenSteps = begun;
                    return;
                }
                end();
                if (!isReader) {
                    executor.onWait();
                    pause(NanoTime.now() + PAUSE_AFTER_WAIT_NANOS);
                }
            }
            try {
                held.releaseAlone();
            } finally {
                spreadOthers();
            }
        }

        private void spreadOthers() {
            if (!isReader) {
                spread();
            }
        }

        @Override
        public void endReading() {
            executor.end();
            synchronized (Http2Turns.this) {
                end();
            }
            // What the session has answered itself, before a request begins.
            held.release();
        }

        private boolean isOf(Http2Turns turns) {
            return turns == Http2Turns.this;
        }
    }

    /** Called by a thread that is about to read. What other threads hold in their turns leaves too. */
    void beforeFill() {
        StreamExecutor.Turn turn = executor.turn();
        if (turn != null && turn.reads()) {
            turn.endReading();
        }
        if (reader != null && reader != turn) {
            // The thread of that turn runs a request now, unknown to the turn. What it writes is not to be held.
            reader.aboutToBlock();
        }
        reader = null;
        held.release();
    }

    /** Called by the same thread when it has read so many bytes; below 0: the peer has ended, and so may the connection. */
    void afterFill(int filled) {
        if (filled > 0) {
            streamsBefore = session.getStreamsOpened();
            reader = new ConnectionTurn(true);
            executor.begin(reader);
        } else if (filled < 0) {
            held.release();
        }
    }

    private boolean mayCollect() {
        return session.getStreamsOpened() - streamsBefore >= 2 && executor.mayCollect() && !isPaused(NanoTime.now());
    }

    private boolean isPaused(long nowNanoTime) {
        return NanoTime.isBefore(nowNanoTime, pauseEndNanoTime);
    }

    private void pause(long endNanoTime) {
        meanNanos = FIRST_MEAN_NANOS;
        pauseEndNanoTime = endNanoTime;
        executor.pause(endNanoTime);
    }

    private boolean take(ConnectionTurn reading, Runnable task) {
        ConnectionTurn turn;
        synchronized (this) {
            if (reading.ended || !mayCollect()) {
                return false;
            }
            tasks.add(task);
            turn = newRunnerIfNeeded();
        }
        if (turn != null) {
            start(turn);
        }
        return true;
    }

    // Many requests of one connection, such as a proxy's, are to have more than one processor.
    private @Nullable ConnectionTurn newRunnerIfNeeded() {
        if (runs > 0 && (tasks.size() <= RUN_LENGTH * runs || runs >= ProcessorUtils.availableProcessors())) {
            return null;
        }
        ConnectionTurn turn = new ConnectionTurn(false);
        runs++;
        return turn;
    }

    private void start(ConnectionTurn turn) {
        try {
            executor.toPool(turn);
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            boolean wasLast;
            synchronized (this) {
                turn.end();
                wasLast = runs == 0;
            }
            if (wasLast) {
                spread();
            }
        }
    }

    // Taken one at a time: when one fails, for want of memory as a rule, the rest is still there for another runner.
    private void spread() {
        for (Runnable task = poll(); task != null; task = poll()) {
            executor.toPoolOrClose(task);
        }
    }

    private synchronized @Nullable Runnable poll() {
        return tasks.poll();
    }

    /** As the end point's, but a short write in a thread's turn is held until the turn ends. */
    void write(Callback callback, ByteBuffer... buffers) {
        ConnectionTurn turn = turnToHold(buffers);
        held.write(turn != null, callback, buffers);
        // A thread that has ended the turn meanwhile found nothing held. The handler may wait now for as long as it
        // likes.
        if (turn != null && hasEnded(turn)) {
            held.release();
        }
    }

    private synchronized boolean mayHold(ConnectionTurn turn) {
        return !turn.ended && turn.takePlace();
    }

    private synchronized boolean hasEnded(ConnectionTurn turn) {
        return turn.ended;
    }

    private @Nullable ConnectionTurn turnToHold(ByteBuffer[] buffers) {
        return executor.turn() instanceof ConnectionTurn turn
                        && turn.isOf(this)
                        && BufferUtil.remaining(buffers) <= HeldWrites.MOST_BYTES
                        // A session that ends may close its connection as soon as a write is complete.
                        && session.getCloseState() == CloseState.NOT_CLOSED
                        && mayHold(turn)
                ? turn
                : null;
    }

    /** Whether a thread writes what was held, and then what the session has to say. */
    boolean isReleasing() {
        return held.isReleasing();
    }

    // A thread that has found a malformed frame reads no more, so that nothing else ends its turn. The tasks of other
    // connections are not for this one.
    @Override
    public void onClosed(Connection connection) {
        closed = true;
        held.end();
        if (executor.turn() instanceof ConnectionTurn turn && turn.isOf(this) && turn.isReader) {
            turn.endReading();
        }
    }
}
