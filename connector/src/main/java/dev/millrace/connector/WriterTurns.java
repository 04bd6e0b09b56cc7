package dev.millrace.connector;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writes of a blocking connection whose callers must not block: each is done by a thread of its own. Where HTTP is spoken,
 * and the peer took the last one at once, a caller who runs a connection, or in a context, waits for it nevertheless, for
 * a moment: behind a selector nearly every write is complete when the call returns, and some take that for granted. (Jetty's error
 * pages of servlets end the response without waiting for their write; an HTTP/2 stream is reset then.) Who has waited in vain
 * does so for a second only where it runs this very connection: it may be sending the same to many peers.
 *
 * <p>At most one write is under way, as Jetty's flusher has it. Thread-safe.
 */
final class WriterTurns {
    /** For the write itself: longer would hold up who may have to read what the peer sends. */
    private static final long MOST_WRITE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** For the writer to run, on a busy machine. */
    private static final long MOST_START_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int YIELDS = 2;
    /** When the current thread waited in vain the last time: none, but for the few that did. */
    private static final ThreadLocal<Long> IN_VAIN = new ThreadLocal<>();
    private static final Logger LOG = LoggerFactory.getLogger(WriterTurns.class);

    private final BioEndPoint endPoint;
    private final BioConnector connector;
    // Who may block in the next flush.
    private volatile Thread writer;
    // Who writes, or runs the callback of what was written.
    private volatile Thread completing;
    private volatile boolean isPeerSlow;

    WriterTurns(BioEndPoint endPoint, BioConnector connector) {
        this.endPoint = endPoint;
        this.connector = connector;
    }

    /** A turn, and who waits for it. */
    private final class Turn implements Runnable {
        private final Thread caller = Thread.currentThread();
        private volatile long deadlineNanoTime = NanoTime.now() + MOST_START_NANOS;
        private volatile boolean isOver;

        @Override
        public void run() {
            deadlineNanoTime = NanoTime.now() + MOST_WRITE_NANOS;
            try {
                complete();
            } finally {
                isPeerSlow = left() < 0;
                isOver = true;
                LockSupport.unpark(caller);
            }
        }

        private void await() {
            // A virtual thread that lets others run spares a park with a timeout, which is a task of the JDK's timer.
            for (int i = 0; i < YIELDS && !isOver && connector.getConnectionThreads().isVirtual(); i++) {
                Thread.yield();
            }
            for (long left = left(); left > 0 && !isOver && !caller.isInterrupted(); left = left()) {
                // Not for longer: the writer tells nobody when it begins.
                LockSupport.parkNanos(this, Math.min(left, MOST_WRITE_NANOS));
            }
            if (!isOver) {
                IN_VAIN.set(NanoTime.now());
            }
        }

        private long left() {
            return NanoTime.until(deadlineNanoTime);
        }
    }

    /** Has the pending write completed by another thread. */
    void begin() {
        try {
            Turn turn = new Turn();
            connector.getConnectionThreads().execute(turn);
            connector.getConnectorStatistics().onWriterTurn();
            // One turn's callback may begin the next: if each waited for the one after it, a long answer would hold many threads.
            if (completing != Thread.currentThread() && !isPeerSlow && mayBeHeldUp() && speaksHttp()) {
                turn.await();
            }
        } catch (Throwable x) {
            // No thread: nobody will ever write what is pending. Closing fails it, unless that has happened before.
            endPoint.close(x);
            endPoint.getWriteFlusher().onFail(x);
        }
    }

    // Not the scheduler, who ends idle connections one after the other, nor a thread that sends the same to many peers: the application's
    // own at no time, a request's not after the first of them that took nothing. But who reads HTTP/2: what a handler writes would have to
    // wait behind a frame of his.
    private boolean mayBeHeldUp() {
        return endPoint.handlingThread() == Thread.currentThread() || !hasWaitedInVain()
                && (ContextHandler.getCurrentContext() != null || connector.getConnectionThreads().isCurrent());
    }

    private static boolean hasWaitedInVain() {
        Long last = IN_VAIN.get();
        return last != null && NanoTime.since(last) < QUIET_NANOS;
    }

    // Who broadcasts over WebSocket must not wait for each peer that has stalled.
    private boolean speaksHttp() {
        Connection connection = endPoint.getConnection();
        if (connection instanceof SslConnection ssl) {
            connection = ssl.getSslEndPoint().getConnection();
        }
        return connection instanceof ConnectionMetaData;
    }

    private void complete() {
        Thread current = Thread.currentThread();
        writer = current;
        completing = current;
        try {
            endPoint.getWriteFlusher().completeWrite();
        } catch (Throwable x) {
            LOG.warn("Closing {}", endPoint, x);
            endPoint.close(x);
        } finally {
            // A thread of the pool serves other connections after this, and may come back to this one.
            if (writer == current) {
                writer = null;
            }
            if (completing == current) {
                completing = null;
            }
        }
    }

    /**
     * Whether the current thread writes in its turn, and may block: for this write only, for the callback that follows it is
     * the application's, and must not.
     */
    boolean takesTurn() {
        if (writer != Thread.currentThread()) {
            return false;
        }
        writer = null;
        return true;
    }
}
