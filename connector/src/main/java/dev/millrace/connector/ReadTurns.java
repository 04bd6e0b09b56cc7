package dev.millrace.connector;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reading side of a blocking connection: who waits for the peer's bytes, and where those bytes lie.
 *
 * <p>At most one {@link Loop} owns the duty to wait. A loop reads into a small read-ahead buffer, tells the connection
 * that it can fill, and waits again if the connection asked for more. When somebody asks for more while the owner is
 * still busy in the connection's code (a handler that reads its body on the connection's thread, above all), the duty
 * goes to a new loop on another thread: a hand-over. So nobody waits for a thread that waits for him.
 *
 * <p>The duty is one number: the id of its last owner, one more for each, and the phase. Whoever moves it does so by compare-and-set,
 * after the interest was registered and before the owner looks again, so that no interest is lost.
 */
final class ReadTurns {
    private static final Logger LOG = LoggerFactory.getLogger(ReadTurns.class);

    private static final int IDLE = 0;
    private static final int WAITING = 1;
    private static final int BUSY = 2;
    private static final int AGAIN = 3;
    private static final long MAX_LEAVING_MILLIS = 100;
    /** Holds a short request. Idle connections are many, and each waits with its buffer. */
    private static final int FIRST_READ_AHEAD_BYTES = 128;
    // In place of an object each, for idle connections are many: see docs/bench/connections.sh memory.
    private static final AtomicLongFieldUpdater<ReadTurns> DUTY = AtomicLongFieldUpdater.newUpdater(ReadTurns.class, "duty");
    private static final AtomicIntegerFieldUpdater<ReadTurns> FILLING = AtomicIntegerFieldUpdater.newUpdater(ReadTurns.class, "filling");

    private final BioEndPoint endPoint;
    private final BioConnector connector;
    private volatile long duty;
    // Two may want to fill: a handler reads on while its idle timeout discards what is left. What one was promised by the
    // system the other may have read, and who then read would wait.
    private volatile int filling;
    // Owned by the waiting loop while the phase is WAITING, else by whoever fills: handed over through duty.
    private ByteBuffer readAhead;
    private boolean eof;
    private InputStream available;
    // The loop in whose callback the connection's own code runs; its thread comes back here when that code returns.
    private volatile Loop handling;

    ReadTurns(BioEndPoint endPoint, BioConnector connector) {
        this.endPoint = endPoint;
        this.connector = connector;
        this.readAhead = ByteBuffer.allocate(Math.min(FIRST_READ_AHEAD_BYTES, connector.getReadAheadBytes())).flip();
    }

    /** The connection's life on its first thread, from its opening until the duty is with nobody or with another loop. */
    Runnable life() {
        Loop loop = new Loop(0);
        duty = loop.phase(BUSY);
        return loop;
    }

    /**
     * Makes sure that some loop waits, or will wait, for the peer. Called from any thread, after the interest was
     * registered.
     *
     * @param returning whether the caller is about to return from the connection's code
     * @throws IOException when the connection is closed, or no thread can be had
     */
    void onInterest(boolean returning) throws IOException {
        Loop mine = returning ? handling : null;
        if (mine != null && mine.thread != Thread.currentThread()) {
            mine = null;
        }
        while (true) {
            if (!endPoint.getChannel().isOpen()) {
                throw new ClosedChannelException();
            }
            long now = duty;
            int phase = phase(now);
            if (phase == WAITING || phase == AGAIN) {
                return;
            }
            if (mine != null) {
                if (DUTY.compareAndSet(this, now, mine.phase(AGAIN))) {
                    return;
                }
            } else {
                Loop loop = new Loop(id(now) + 1);
                if (DUTY.compareAndSet(this, now, loop.phase(WAITING))) {
                    connector.getConnectorStatistics().onHandOver();
                    start(loop);
                    return;
                }
            }
        }
    }

    private void start(Loop loop) throws IOException {
        try {
            connector.getConnectionThreads().execute(loop);
        } catch (Throwable x) {
            // No thread (OutOfMemoryError is how the JDK says so): nobody will ever read this connection again.
            duty = loop.phase(IDLE);
            endPoint.close(x);
            throw new IOException("no thread to read " + endPoint.getRemoteSocketAddress(), x);
        }
    }

    /**
     * Fills a buffer with what is there, without waiting.
     *
     * @param buffer in flush mode, filled behind its limit
     * @return the bytes filled; 0 when there are none or another thread reads or waits for them; -1 at the end
     * @throws IOException when the socket fails
     */
    int fill(ByteBuffer buffer) throws IOException {
        if (!FILLING.compareAndSet(this, 0, 1)) {
            return 0;
        }
        // Meant for the application, as on a selector connector; here it would close the channel.
        boolean interrupted = Thread.interrupted();
        try {
            return phase(duty) == WAITING ? 0 : fillFromSocket(buffer);
        } finally {
            filling = 0;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private int fillFromSocket(ByteBuffer buffer) throws IOException {
        int position = BufferUtil.flipToFill(buffer);
        try {
            if (readAhead.hasRemaining()) {
                return BufferUtil.put(readAhead, buffer);
            }
            if (eof) {
                return -1;
            }
            // The channel blocks: read only what FIONREAD promises. At the end of the stream that is 0, and the loop,
            // once it waits, finds the end.
            return buffer.hasRemaining() && available() > 0 ? endPoint.getChannel().read(buffer) : 0;
        } finally {
            BufferUtil.flipToFlush(buffer, position);
        }
    }

    private int available() throws IOException {
        if (available == null) {
            available = endPoint.getChannel().socket().getInputStream();
        }
        return available.available();
    }

    /**
     * Whether nothing has come that a thread has yet to read: one that waits may be kept from it, a virtual one by handlers on
     * all carriers. Takes no lock that a reader holds.
     */
    boolean isPeerAwaited() {
        try {
            return endPoint.getChannel().socket().getInputStream().available() == 0;
        } catch (UnsupportedOperationException unixDomain) {
            return true;
        } catch (IOException closed) {
            return false;
        }
    }

    /** @return the thread that runs the connection's code, if any; it may be busy in a handler */
    Thread handlingThread() {
        Loop loop = handling;
        return loop == null ? null : loop.thread;
    }

    /**
     * Lets the thread that has found a request malformed leave the connection, before the other thread that answers it goes on. When
     * that has answered it reads to the end, into the buffer that the first is about to give back, and that may be another connection's
     * by then: that one would begin with bytes of this one (Jetty's HttpConnection, 12.1.12).
     */
    void awaitReaderOfMalformed() {
        Thread reader = handlingThread();
        if (reader == null || reader == Thread.currentThread()) {
            return;
        }
        HttpConnection http = endPoint.http();
        if (http == null || !http.getParser().isTerminated()) {
            return;
        }
        // It does no more than to give the buffer back; but inside TLS it may need the lock that this thread holds.
        long begin = NanoTime.now();
        while (handlingThread() == reader && NanoTime.millisSince(begin) < MAX_LEAVING_MILLIS) {
            Thread.yield();
        }
    }

    /** The buffer for the next read: the last one, or a larger if that was filled, for what follows it takes two calls more. */
    static ByteBuffer emptied(ByteBuffer readAhead, int mostBytes) {
        int bytes = readAhead.capacity();
        return readAhead.limit() < bytes || bytes >= mostBytes ? readAhead.clear()
                : ByteBuffer.allocate((int) Math.min(2L * bytes, mostBytes));
    }

    private static int phase(long duty) {
        return (int) (duty & 3);
    }

    private static long id(long duty) {
        return duty >>> 2;
    }

    /** One thread's time with this connection. */
    private final class Loop implements Runnable {
        private final long id;
        private volatile Thread thread;

        Loop(long id) {
            this.id = id;
        }

        private long phase(int phase) {
            return id << 2 | phase;
        }

        @Override
        public void run() {
            thread = Thread.currentThread();
            try {
                boolean mine = id > 0 || call(endPoint::opened) && goOn();
                while (mine) {
                    await();
                    duty = phase(BUSY);
                    mine = call(endPoint.getFillInterest()::fillable) && goOn();
                }
            } catch (Throwable x) {
                LOG.warn("Closing {}", endPoint, x);
                endPoint.close(x);
            }
        }

        private boolean call(Runnable connectionCode) {
            boolean outermost = handling == null;
            if (outermost) {
                handling = this;
            }
            try {
                connectionCode.run();
            } finally {
                if (outermost) {
                    handling = null;
                }
                // An interrupt meant for the application would close the channel at the next blocking call.
                Thread.interrupted();
            }
            return true;
        }

        /** Whether this loop still has the duty, now that the connection's code has returned. */
        private boolean goOn() {
            while (true) {
                long now = duty;
                if (now == phase(AGAIN)) {
                    duty = phase(WAITING);
                    return true;
                }
                if (now != phase(BUSY) || DUTY.compareAndSet(ReadTurns.this, now, phase(IDLE))) {
                    return false;
                }
            }
        }

        /** Whether there is room to read into now: all that was read has been taken, and the peer has not ended. */
        private boolean makesRoom() {
            // Whoever began to fill before the duty was this loop's is soon done.
            while (!FILLING.compareAndSet(ReadTurns.this, 0, 1)) {
                Thread.onSpinWait();
            }
            try {
                if (readAhead.hasRemaining() || eof) {
                    return false;
                }
                readAhead = emptied(readAhead, connector.getReadAheadBytes());
                return true;
            } finally {
                filling = 0;
            }
        }

        private void await() {
            if (!makesRoom()) {
                return;
            }
            if (connector.isVirtual()) {
                // Rarely has the peer's next request arrived when the answer has just left. Whoever else can run has his
                // turn first, twice; often enough the bytes are there after it, which saves parking: two calls of epoll_ctl,
                // and a wake-up by the poller. Measured by docs/bench/connectors.sh: 4, and 8, save no more.
                Thread.yield();
                Thread.yield();
            }
            connector.getConnectorStatistics().onReadBlocked();
            try {
                eof = endPoint.getChannel().read(readAhead) < 0;
                endPoint.notIdle();
            } catch (ClosedChannelException x) {
                // By interrupt or by close(), which may be under way: closing again does nothing.
                eof = true;
                endPoint.close(x);
            } catch (IOException x) {
                LOG.debug("Cannot read {}: {}", endPoint, x.toString());
                eof = true;
            } finally {
                connector.getConnectorStatistics().onReadUnblocked();
                readAhead.flip();
            }
        }
    }
}
