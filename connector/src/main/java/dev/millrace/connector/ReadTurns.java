package dev.millrace.connector;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
 * <p>The duty is one number: the owner's id and its phase. Whoever moves it does so by compare-and-set, after the
 * interest was registered and before the owner looks again, so that no interest is lost.
 */
final class ReadTurns {
    private static final Logger LOG = LoggerFactory.getLogger(ReadTurns.class);

    private static final long IDLE = 0;
    private static final int WAITING = 1;
    private static final int BUSY = 2;
    private static final int AGAIN = 3;
    private static final long MAX_LEAVING_MILLIS = 100;

    private final BioEndPoint endPoint;
    private final SocketChannel channel;
    private final ConnectionThreads threads;
    private final ConnectorStatistics statistics;
    private final AtomicLong duty = new AtomicLong(IDLE);
    private final AtomicInteger loops = new AtomicInteger();
    // Two may want to fill: a handler reads on while its idle timeout discards what is left. What one was promised by the
    // system the other may have read, and who then read would wait.
    private final AtomicBoolean filling = new AtomicBoolean();
    // Owned by the waiting loop while the phase is WAITING, else by whoever fills: handed over through duty.
    private final ByteBuffer readAhead;
    private boolean eof;
    private InputStream available;
    // The loop in whose callback the connection's own code runs; its thread comes back here when that code returns.
    private volatile Loop handling;

    ReadTurns(BioEndPoint endPoint, ConnectionThreads threads, ConnectorStatistics statistics, int readAheadBytes) {
        this.endPoint = endPoint;
        this.channel = endPoint.getChannel();
        this.threads = threads;
        this.statistics = statistics;
        this.readAhead = ByteBuffer.allocate(readAheadBytes).flip();
    }

    /**
     * Runs the connection's life on the current thread, until the duty is with nobody or with another loop.
     *
     * @param open opens the connection, as the first thing
     */
    void run(Runnable open) {
        Loop loop = new Loop();
        duty.set(loop.phase(BUSY));
        loop.run(open);
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
            if (!channel.isOpen()) {
                throw new ClosedChannelException();
            }
            long now = duty.get();
            int phase = phase(now);
            if (phase == WAITING || phase == AGAIN) {
                return;
            }
            if (mine != null) {
                if (duty.compareAndSet(now, mine.phase(AGAIN))) {
                    return;
                }
            } else {
                Loop loop = new Loop();
                if (duty.compareAndSet(now, loop.phase(WAITING))) {
                    statistics.onHandOver();
                    start(loop);
                    return;
                }
            }
        }
    }

    private void start(Loop loop) throws IOException {
        try {
            threads.execute(loop);
        } catch (Throwable x) {
            // No thread (OutOfMemoryError is how the JDK says so): nobody will ever read this connection again.
            duty.set(IDLE);
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
        if (!filling.compareAndSet(false, true)) {
            return 0;
        }
        // Meant for the application, as on a selector connector; here it would close the channel.
        boolean interrupted = Thread.interrupted();
        try {
            return phase(duty.get()) == WAITING ? 0 : fillFromSocket(buffer);
        } finally {
            filling.set(false);
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
            return buffer.hasRemaining() && available() > 0 ? channel.read(buffer) : 0;
        } finally {
            BufferUtil.flipToFlush(buffer, position);
        }
    }

    private int available() throws IOException {
        if (available == null) {
            available = channel.socket().getInputStream();
        }
        return available.available();
    }

    /**
     * Whether nothing has come that a thread has yet to read: one that waits may be kept from it, a virtual one by handlers on
     * all carriers. Takes no lock that a reader holds.
     */
    boolean isPeerAwaited() {
        try {
            return channel.socket().getInputStream().available() == 0;
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

    private static int phase(long duty) {
        return (int) (duty & 3);
    }

    /** One thread's time with this connection. */
    private final class Loop implements Runnable {
        private final long id = (long) loops.incrementAndGet() << 2;
        private volatile Thread thread;

        private long phase(int phase) {
            return id | phase;
        }

        @Override
        public void run() {
            run(null);
        }

        private void run(Runnable open) {
            thread = Thread.currentThread();
            try {
                boolean mine = open == null || (call(open) && goOn());
                while (mine) {
                    await();
                    duty.set(phase(BUSY));
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
                long now = duty.get();
                if (now == phase(AGAIN)) {
                    duty.set(phase(WAITING));
                    return true;
                }
                if (now != phase(BUSY) || duty.compareAndSet(now, IDLE)) {
                    return false;
                }
            }
        }

        private void await() {
            // Whoever began to fill before the duty was this loop's is soon done.
            while (!filling.compareAndSet(false, true)) {
                Thread.onSpinWait();
            }
            boolean full = readAhead.hasRemaining() || eof;
            if (!full) {
                readAhead.clear();
            }
            filling.set(false);
            if (full) {
                return;
            }
            if (threads.isVirtual()) {
                // Rarely has the peer's next request arrived when the answer has just left. Whoever else can run has his
                // turn first, twice; often enough the bytes are there after it, which saves parking: two calls of epoll_ctl,
                // and a wake-up by the poller. Measured by docs/bench/connectors.sh: 4, and 8, save no more.
                Thread.yield();
                Thread.yield();
            }
            statistics.onReadBlocked();
            try {
                eof = channel.read(readAhead) < 0;
                endPoint.notIdle();
            } catch (ClosedChannelException x) {
                // By interrupt or by close(), which may be under way: closing again does nothing.
                eof = true;
                endPoint.close(x);
            } catch (IOException x) {
                LOG.debug("Cannot read {}: {}", endPoint, x.toString());
                eof = true;
            } finally {
                statistics.onReadUnblocked();
                readAhead.flip();
            }
        }
    }
}
