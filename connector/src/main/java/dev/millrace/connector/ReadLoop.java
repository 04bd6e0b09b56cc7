package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.FillInterest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reading side of a blocking connection: which thread waits for the peer's bytes.
 *
 * <p>At most one {@link Loop} owns the duty to wait. A loop reads ahead, tells the connection
 * that it can fill, and waits again if the connection asked for more. The connection may ask for more while the owner is
 * still busy in the connection's code: a handler that reads its body does so. Then the duty goes to a new loop on another
 * thread: a hand-over. So no thread waits for one that waits for it.
 *
 * <p>The duty is one number: the id of its last owner, one more for each, and the phase. While the owner waits, it alone moves the
 * duty. Otherwise any thread moves it by compare-and-set, after the interest was registered and before the owner looks again. So no
 * interest is lost.
 */
final class ReadLoop {
    private static final Logger LOG = LoggerFactory.getLogger(ReadLoop.class);

    /** No loop has the duty: no bytes are asked for. */
    private static final int IDLE = 0;
    /** The owner waits for the peer, or is about to. */
    private static final int WAITING = 1;
    /** The owner runs the connection's code. */
    private static final int BUSY = 2;
    /** The owner runs the connection's code, which has asked for more: it waits again when that returns. */
    private static final int AGAIN = 3;

    // An updater spares an object for each of many idle connections: see docs/bench/connections.sh memory.
    private static final AtomicIntegerFieldUpdater<ReadLoop> DUTY =
            AtomicIntegerFieldUpdater.newUpdater(ReadLoop.class, "duty");

    private final Owner owner;
    private final BioResources resources;
    private volatile int duty;
    private final ReadAhead readAhead;
    // The loop in whose callback the connection's own code runs; its thread comes back here when that code returns.
    private volatile @Nullable Loop handling;
    private final @Nullable CarrierTurn carrier;
    // Belongs to the handling thread.
    private @Nullable Runnable next;

    /** The end point whose channel is read. */
    interface Owner {
        SocketChannel getChannel();

        FillInterest getFillInterest();

        boolean isOpen();

        void notIdle();

        void close(Throwable cause);

        /** Called before and after a thread waits for bytes: has a channel linger that was closed for that. Returns whether it was. */
        boolean lingerIfClosed();
    }

    /** @param carrier of the threads that read and write; null on platform threads */
    ReadLoop(Owner owner, BioResources resources, @Nullable CarrierTurn carrier) {
        this.owner = owner;
        this.resources = resources;
        this.readAhead = new ReadAhead(resources.readAheadBytes());
        this.carrier = carrier;
    }

    /**
     * Opens the connection, on its first thread.
     *
     * @param opening may ask for bytes
     * @return waits for them and serves the connection, until the duty is with no loop or with another; null when none was asked for
     */
    @Nullable Runnable begin(Runnable opening) {
        Loop loop = new Loop(0);
        loop.thread = Thread.currentThread();
        duty = duty(loop.id, BUSY);
        try {
            loop.call(opening);
            return loop.keepsDuty() ? loop : null;
        } catch (Throwable x) {
            LOG.warn("Closing {}", owner, x);
            owner.close(x);
            return null;
        }
    }

    /**
     * Makes sure that some loop waits, or will wait, for the peer. Called from any thread, after the interest was
     * registered.
     *
     * @param returning whether the caller is the {@link #handlingThread}, and about to return from the connection's code
     * @throws IOException when the connection is closed, or no thread can be had
     */
    void onInterest(boolean returning) throws IOException {
        Loop mine = returning ? handling : null;
        while (true) {
            if (!owner.isOpen()) {
                throw new ClosedChannelException();
            }
            int now = duty;
            int phase = phase(now);
            if (phase == WAITING || phase == AGAIN) {
                return;
            }
            if (mine != null) {
                if (DUTY.compareAndSet(this, now, duty(mine.id, AGAIN))) {
                    return;
                }
            } else {
                Loop loop = new Loop(id(now) + 1);
                if (DUTY.compareAndSet(this, now, duty(loop.id, WAITING))) {
                    resources.statistics().onHandOver();
                    start(loop);
                    return;
                }
            }
        }
    }

    private void start(Loop loop) throws IOException {
        try {
            resources.threads().execute(loop);
        } catch (Throwable x) {
            // No thread (OutOfMemoryError is how the JDK says so): nothing will ever read this connection again.
            duty = duty(loop.id, IDLE);
            owner.close(x);
            throw new IOException("no thread to read " + owner, x);
        }
    }

    /**
     * Takes the duty away from the loops for good, unless one of them waits for the peer, or is about to.
     *
     * @return whether no loop has the duty, nor ever will if {@link #onInterest} is not called again
     */
    boolean leave() {
        while (true) {
            int now = duty;
            if (phase(now) == WAITING || phase(now) == AGAIN) {
                return false;
            }
            // Another id: a loop that is busy finds that the duty is not its own.
            if (DUTY.compareAndSet(this, now, duty(id(now) + 1, IDLE))) {
                return true;
            }
        }
    }

    /** As {@link #fill}, after {@link #leave}: gives away the rest of what was read ahead. */
    int drain(ByteBuffer buffer) {
        if (!readAhead.hasRemaining()) {
            return 0;
        }
        // The lock may be a writer's. Without these bytes the caller would go on with those that follow them.
        readAhead.lock();
        try {
            return readAhead.drain(buffer);
        } finally {
            readAhead.unlock();
        }
    }

    /** Whether the current thread is the connector's. After {@link #leave} it reads no more: a peer that sends on and on would keep its carrier. */
    boolean isCurrentThread() {
        return handlingThread() == Thread.currentThread();
    }

    /** Called after {@link #leave} when something was written. */
    void onWritten() {
        if (carrier != null && isCurrentThread()) {
            carrier.onProgress();
        }
    }

    /** Whether bytes were read that the connection has yet to take; by the thread that may fill. */
    boolean hasReadAhead() {
        return readAhead.hasRemaining();
    }

    /**
     * Fills a buffer with what is there, without waiting.
     *
     * @param buffer in flush mode, filled behind its limit
     * @return the bytes filled; 0 when none are there, or another thread reads or waits; -1 at the end
     */
    int fill(ByteBuffer buffer) throws IOException {
        if (!readAhead.tryLock()) {
            return 0;
        }
        // The interrupt is meant for the application, as on a selector connector; here it would close the channel.
        boolean interrupted = Thread.interrupted();
        boolean hasRead = false;
        try {
            boolean wasAhead = readAhead.hasRemaining();
            int filled = phase(duty) == WAITING ? 0 : readAhead.fill(owner.getChannel(), buffer);
            hasRead = filled > 0 && !wasAhead;
            return filled;
        } finally {
            readAhead.unlock();
            if (hasRead && carrier != null) {
                carrier.onProgress();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Keeps any thread from reading, unless one waits for the peer already; {@link #resume} follows.
     *
     * @return whether it does
     */
    boolean pause() {
        if (!readAhead.tryLock()) {
            return false;
        }
        // A loop that begins to wait from now on makes room first, and cannot.
        boolean isPaused = phase(duty) != WAITING;
        if (!isPaused) {
            readAhead.unlock();
        }
        return isPaused;
    }

    void resume() {
        readAhead.unlock();
    }

    /** @return the thread that runs the connection's code, if any; it may be busy in a handler */
    @Nullable Thread handlingThread() {
        Loop loop = handling;
        return loop == null ? null : loop.thread;
    }

    /**
     * Whether the current thread runs the connection's code, and no request content is left to read. Then no other thread waits for
     * anything on this connection, and this one may block. Any other writer (of an asynchronous request, above all) may be needed to
     * read on, or hold what the reader needs. A peer that blocks in a write of its own would wait for ever.
     *
     * @param parser null for another protocol than HTTP/1.1
     */
    boolean isAlone(@Nullable HttpParser parser) {
        return handlingThread() == Thread.currentThread() && parser != null && !JettyInternals.hasContentLeft(parser);
    }

    /** Has the current thread, which {@link #isAlone}, run more of the connection's code when it returns from what it runs. */
    void runNext(Runnable connectionCode) {
        next = connectionCode;
    }

    /** Whether a thread waits for the peer's bytes, or is about to. */
    boolean isWaiting() {
        return phase(duty) == WAITING;
    }

    boolean hasEnded() {
        return readAhead.hasEnded();
    }

    private static int phase(int duty) {
        return duty & 3;
    }

    private static int id(int duty) {
        return duty >>> 2;
    }

    private static int duty(int id, int phase) {
        return id << 2 | phase;
    }

    /** One thread's time with this connection. */
    private final class Loop implements Runnable {
        private final int id;
        private volatile @Nullable Thread thread;

        Loop(int id) {
            this.id = id;
        }

        @Override
        public void run() {
            thread = Thread.currentThread();
            try {
                do {
                    await();
                    duty = duty(id, BUSY);
                    owner.lingerIfClosed();
                    call(owner.getFillInterest()::fillable);
                } while (keepsDuty());
            } catch (OutOfMemoryError x) {
                // The connector tells of it.
                owner.close(x);
            } catch (Throwable x) {
                LOG.warn("Closing {}", owner, x);
                owner.close(x);
            }
        }

        private void call(Runnable connectionCode) {
            boolean outermost = handling == null;
            if (outermost) {
                handling = this;
            }
            try {
                connectionCode.run();
                if (outermost) {
                    runNext();
                }
            } finally {
                if (outermost) {
                    handling = null;
                }
                // An interrupt meant for the application would close the channel at the next blocking call.
                Thread.interrupted();
            }
        }

        private void runNext() {
            for (Runnable code = next; code != null; code = next) {
                next = null;
                code.run();
            }
        }

        /** Whether this loop still has the duty, now that the connection's code has returned. */
        private boolean keepsDuty() {
            while (true) {
                int now = duty;
                if (now == duty(id, AGAIN)) {
                    // Ids come again: a loop that was held up for a whole request may find the AGAIN of another.
                    if (DUTY.compareAndSet(ReadLoop.this, now, duty(id, WAITING))) {
                        return true;
                    }
                } else if (now != duty(id, BUSY) || DUTY.compareAndSet(ReadLoop.this, now, duty(id, IDLE))) {
                    return false;
                }
            }
        }

        private void await() {
            // The thread that closes sees that this one is about to read, or this one sees that the channel is no
            // longer its own.
            ByteBuffer room = owner.lingerIfClosed() ? null : readAhead.room(resources.readAheadBytes());
            if (room == null) {
                return;
            }
            long begin = carrier == null ? 0 : carrier.beginRead();
            resources.statistics().onReadBlocked();
            try {
                boolean isEnd = true;
                try {
                    // Called here, not by a further method: an idle virtual thread keeps the frames of its calls.
                    isEnd = owner.getChannel().read(room) < 0;
                } finally {
                    readAhead.filled(isEnd);
                }
                owner.notIdle();
            } catch (ClosedChannelException x) {
                if (x instanceof ClosedByInterruptException) {
                    LOG.debug("Interrupted after the handler has returned: closing {}", owner);
                }
                // An interrupt or close() has closed the channel. That may be under way: closing again does nothing.
                owner.close(x);
            } catch (IOException x) {
                LOG.debug("Cannot read {}: {}", owner, x.toString());
            } finally {
                resources.statistics().onReadUnblocked();
            }
            if (carrier != null) {
                carrier.onReadSince(begin);
            }
        }
    }
}
