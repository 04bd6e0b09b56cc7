package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.WriteFlusher;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which thread writes a blocking connection, and whether one still may. Where the caller must not block, one of the connector's threads
 * completes the write. A write can be given up at any time, by any thread, and the connection closed.
 *
 * <p>One write at a time, as Jetty's flusher has it. Giving up and closing are thread-safe.
 */
final class WriteDuty {
    private static final Logger LOG = LoggerFactory.getLogger(WriteDuty.class);

    private static final AtomicReferenceFieldUpdater<WriteDuty, Completion> COMPLETION =
            AtomicReferenceFieldUpdater.newUpdater(WriteDuty.class, Completion.class, "completion");

    private final Owner owner;
    private final BioResources resources;
    private volatile @Nullable Completion completion;
    private volatile boolean writing;
    // The last that began a write of its own. Who closes has asked before whether somebody writes, and as a rule sees
    // it.
    private @Nullable Thread writer;
    private volatile boolean cancelled;

    /** The end point whose channel is written. */
    interface Owner {
        WriteFlusher getWriteFlusher();

        boolean isOutputShutdown();

        /** Whether a write waits on its thread, and not for a selector. */
        boolean isBlocking();

        /** Wakes the thread that writes, too. */
        void close(Throwable cause);
    }

    WriteDuty(Owner owner, BioResources resources) {
        this.owner = owner;
        this.resources = resources;
    }

    /** Whether a thread writes, or waits for its turn to do so. */
    boolean isWriting() {
        return writing;
    }

    /** Whether a write waits for the thread that is to complete it. While the channel blocks, a pending one waits for nothing else. */
    boolean awaitsThread() {
        return owner.isBlocking() && owner.getWriteFlusher().isPending();
    }

    /** Whether a write was given up, so that no other begins. */
    boolean isCancelled() {
        return cancelled;
    }

    /** Has the write that is pending completed by another thread. */
    void completeElsewhere() {
        try {
            resources.threads().execute(new Completion());
            resources.statistics().onBackgroundWrite();
        } catch (Throwable x) {
            // No thread: nothing will ever write what is pending. Closing fails it, unless that has happened before.
            owner.close(x);
            owner.getWriteFlusher().onFail(x);
        }
    }

    /** The rest of a write, by a thread of the connector's. */
    private final class Completion implements Runnable {
        private @Nullable Thread thread;
        // Belongs to that thread: whether it may block in its next flush.
        private boolean mayBlock = true;

        @Override
        public void run() {
            thread = Thread.currentThread();
            completion = this;
            try {
                owner.getWriteFlusher().completeWrite();
            } catch (Throwable x) {
                LOG.warn("Closing {}", owner, x);
                owner.close(x);
            } finally {
                // A thread of the pool serves other connections after this, and may come back to this one. The next
                // completion may have begun, by what the application does when it hears of this one's end.
                COMPLETION.compareAndSet(WriteDuty.this, this, null);
            }
        }

        private boolean isByCurrentThread() {
            return thread == Thread.currentThread();
        }
    }

    /**
     * Whether the current thread writes for another, and may block; true once, for the callback that follows is the application's. A
     * thread that is in a write which it has begun is noted as its {@link #failingWriter}.
     *
     * @param flusherInTls what the protocol inside TLS writes by; null in clear, where nothing else is written
     */
    boolean takeBackgroundWrite(@Nullable WriteFlusher flusherInTls) {
        Completion current = completion;
        if (current != null && current.isByCurrentThread() && current.mayBlock) {
            current.mayBlock = false;
            return true;
        }
        if (flusherInTls == null || JettyInternals.isBegun(flusherInTls)) {
            writer = Thread.currentThread();
        }
        return false;
    }

    /**
     * Begins a write; {@link #end} follows.
     *
     * @throws EofException when the write was given up, or the connection closed
     */
    void begin() throws EofException {
        writing = true;
        // The thread that closes the connection sees that this one writes, or this one sees that it is closed.
        if (cancelled || owner.isOutputShutdown()) {
            writing = false;
            throw new EofException(cancelled ? "write was cancelled" : "connection was closed");
        }
    }

    void end() {
        writing = false;
    }

    /**
     * Gives up the write that is under way, and lets no other begin. When this returns, no thread writes, or the connection is
     * closed and nothing leaves any more.
     *
     * @return the callback of the write, for the caller to fail; null when there was none, or its own thread fails it
     */
    @Nullable Callback cancel(Throwable cause) {
        // WriteFlusher waits in a busy loop for the thread in flush() to come out: make it come out, or not go in.
        cancelled = true;
        if (writing) {
            owner.close(cause);
        }
        if (resources.threads().isVirtual()) {
            awaitFlushed(owner.getWriteFlusher());
        }
        // Jetty's flusher gives no callback of a write whose thread was not let in, but fails that one itself.
        boolean wasIdle = JettyInternals.isIdle(owner.getWriteFlusher());
        Callback callback = owner.getWriteFlusher().cancelWrite(cause);
        if (owner.isBlocking() && (callback != null || !wasIdle)) {
            // A part may have left: what follows half a write is nonsense to the peer.
            owner.close(cause);
        }
        return callback;
    }

    /**
     * Waits until no thread is in a flusher, as Jetty's flusher does by a busy loop in the write that it cancels. A virtual thread in that
     * loop keeps its carrier. The one that is to come out may have none, though the connection is closed. Other threads do not wait here.
     */
    static void awaitFlushed(WriteFlusher flusher) {
        if (isFlushing(flusher) && VirtualThreads.isVirtualThread()) {
            Waiting.until(() -> !isFlushing(flusher));
        }
    }

    /**
     * Whose write the connection's end fails, or has failed. Another thread may do the rest of that write.
     *
     * @param outermost what the connection's protocol writes by
     * @return null when nobody need be waited for. In clear, a thread whose own write has failed ends the connection when Jetty knows of
     *     that. So does one that has done the rest of a write.
     */
    @Nullable Thread failingWriter(WriteFlusher outermost) {
        // Asked first: of a write that is pending, the writer was noted before.
        if (JettyInternals.isIdle(outermost) || !owner.isBlocking()) {
            return null;
        }
        Completion current = completion;
        boolean isOwn = writer == Thread.currentThread() || (current != null && current.isByCurrentThread());
        boolean inClear = outermost.equals(owner.getWriteFlusher());
        return isOwn && inClear && !isFlushing(outermost) ? null : writer;
    }

    /**
     * Has a connection's end told when the thread whose write fails has left Jetty's code, or after a second. A listener that fails
     * the response before that waits for ever. For Jetty's {@code IteratingCallback} keeps the first failure as long as its
     * thread has not come back.
     */
    static Runnable whenHasLeft(@Nullable Thread writer, Runnable end) {
        return () -> {
            try {
                // Without a thread to spare it is the current one.
                Waiting.until(
                        OrderlyEnd.MOST_MILLIS,
                        () -> writer == null
                                || writer == Thread.currentThread()
                                || !JettyInternals.isWritingResponse(writer));
            } finally {
                end.run();
            }
        };
    }

    static boolean isFlushing(WriteFlusher flusher) {
        return !flusher.isPending() && !flusher.isFailed() && !JettyInternals.isIdle(flusher);
    }
}
