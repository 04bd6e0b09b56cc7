package dev.millrace.connector;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes channels on which everything has been written, without a reset. A socket may be closed with bytes that no
 * thread has read, or get some later. Then the kernel resets the connection and drops what it has yet to send. The peer
 * would lose the end of its answer. So the output is ended, and what comes is read and dropped (RFC 9112 section 9.6). That goes on until
 * the peer has ended too, or has been silent for some seconds. A peer that goes on beyond the bounds of time or bytes is reset.
 *
 * <p>All channels of a connector share one selector and one thread. Both exist while some channel lingers, and for some seconds
 * more. Where the system refuses either, the channel is closed at once. A stop closes the channels that linger.
 *
 * <p>Thread-safe.
 */
final class LingeringClose extends AbstractLifeCycle {
    private static final Logger LOG = LoggerFactory.getLogger(LingeringClose.class);

    private static final long LOOK_MILLIS = 1000;
    /** A channel's wait for its first read. Most peers end at once: the channel need not be registered, and many share a wake-up. */
    private static final long FIRST_LOOK_MILLIS = 5;

    private static final long STOP_MILLIS = 1000;
    private static final int READ_BYTES = 64 * 1024;

    private final LongSupplier mostMillis;
    private final LongSupplier mostBytes;
    private final Set<Lingering> lingering = ConcurrentHashMap.newKeySet();
    private final Queue<Lingering> arriving = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean called = new AtomicBoolean();
    private final LongAdder begun = new LongAdder();
    private final LongAdder cuts = new LongAdder();
    private volatile long restMillis = 10_000;
    /** A peer that sends nothing for so long will send no more: as nginx's {@code lingering_timeout}. */
    private volatile long silenceMillis = 5000;

    private NewSelector newSelector = Selector::open;
    private ThreadFactory threads = this::newThread;
    private volatile @Nullable Selector selector;
    private @Nullable Thread thread;
    private boolean warned;

    /** Opens the selector of the channels that linger. */
    interface NewSelector {
        Selector open() throws IOException;
    }

    /** A channel that lingers; it is closed here. */
    final class Lingering {
        private final SocketChannel channel;
        private final long beginNanoTime = NanoTime.now();
        private final AtomicBoolean taken = new AtomicBoolean();
        private volatile long lastNanoTime = beginNanoTime;
        // Belongs to the thread that reads.
        private long bytes;
        // What to run at the end. Null until there is something; from the end on it is a task that does nothing.
        private final AtomicReference<@Nullable Runnable> telling = new AtomicReference<>();

        private Lingering(SocketChannel channel) {
            this.channel = channel;
        }

        /**
         * Ends the output, and takes the channel over.
         *
         * @param isRead whether a thread still waits for the peer's bytes. That thread calls again when it has some, or
         *     when it is woken because the peer has been silent for too long.
         */
        void begin(boolean isRead) {
            try {
                channel.shutdownOutput();
                if (!isRead && taken.compareAndSet(false, true)) {
                    lastNanoTime = NanoTime.now();
                    channel.configureBlocking(false);
                    arriving.add(this);
                    call();
                }
            } catch (IOException x) {
                LOG.debug("Cannot linger: {}", x.toString());
                end();
            }
        }

        /** Runs a task when the channel is closed; at once if it is closed already. To be called once. */
        void onEnd(Runnable task) {
            if (!telling.compareAndSet(null, task)) {
                task.run();
            }
        }

        private void end() {
            if (!lingering.remove(this)) {
                return;
            }
            IO.close(channel);
            Runnable task = telling.getAndSet(() -> {});
            if (task != null) {
                try {
                    task.run();
                } catch (Throwable x) {
                    // The application's: the others go on to linger.
                    LOG.warn("Cannot tell that {} is closed", channel, x);
                }
            }
        }

        private void cut() {
            cuts.increment();
            LOG.debug("Cutting {} after {} bytes", channel, bytes);
            end();
        }
    }

    /**
     * @param mostMillis the longest time in milliseconds for which a channel lingers; 0: none does
     * @param mostBytes the most that is read from one
     */
    LingeringClose(LongSupplier mostMillis, LongSupplier mostBytes) {
        this.mostMillis = mostMillis;
        this.mostBytes = mostBytes;
    }

    /** @param restMillis how long the thread waits for another channel before it ends; 10 s unless set */
    void setRestMillis(long restMillis) {
        this.restMillis = restMillis;
    }

    /** @param silenceMillis after which a silent peer's channel is closed; 5 s unless set */
    void setSilenceMillis(long silenceMillis) {
        this.silenceMillis = silenceMillis;
    }

    /** Sets what the system may refuse, for tests. */
    synchronized void setSources(NewSelector newSelector, ThreadFactory threads) {
        this.newSelector = newSelector;
        this.threads = threads;
    }

    int getLingering() {
        return lingering.size();
    }

    long getBegun() {
        return begun.sum();
    }

    long getCut() {
        return cuts.sum();
    }

    /**
     * Notes that a channel is to linger, which begins with {@link Lingering#begin}.
     *
     * @return the channel's stay here. Null when lingering is off, when the connector stops, and when the system has no
     *     thread or descriptor left. Then the caller closes the channel.
     */
    @Nullable Lingering take(SocketChannel channel) {
        if (mostMillis.getAsLong() == 0 || !isRunning()) {
            return null;
        }
        Lingering taken = new Lingering(channel);
        try {
            add(taken);
        } catch (IOException | OutOfMemoryError x) {
            // The system has no descriptor, or no thread, which the JDK tells by OutOfMemoryError.
            warnOnce(x);
            cuts.increment();
            return null;
        }
        if (!isRunning()) {
            // A stop may have closed those that linger before this one was among them.
            lingering.remove(taken);
            return null;
        }
        begun.increment();
        return taken;
    }

    // Many connections end at such a time: one line tells of them all.
    private synchronized void warnOnce(Throwable cause) {
        if (warned) {
            LOG.debug("Cannot linger: {}", cause.toString());
        } else {
            warned = true;
            LOG.warn("Connections are closed without lingering, and may be reset: {}", cause.toString());
        }
    }

    // The thread outlives the application whose connection is the first to linger, and must not keep it.
    private Thread newThread(Runnable task) {
        Thread made = new Thread(null, task, "lingering-close-" + Integer.toHexString(hashCode()), 0, false);
        made.setContextClassLoader(getClass().getClassLoader());
        made.setDaemon(true);
        return made;
    }

    private synchronized void add(Lingering taken) throws IOException {
        if (selector == null) {
            Selector opened = newSelector.open();
            try {
                thread = threads.newThread(() -> run(opened));
                thread.start();
            } catch (Throwable x) {
                opened.close();
                throw x;
            }
            selector = opened;
        }
        lingering.add(taken);
    }

    private void call() {
        Selector current = selector;
        if (current != null && called.compareAndSet(false, true)) {
            current.wakeup();
        }
    }

    private void run(Selector selecting) {
        long lastLook = NanoTime.now();
        long lastLingering = lastLook;
        try {
            ByteBuffer dropped = ByteBuffer.allocateDirect(READ_BYTES);
            do {
                boolean isCalled = called.get();
                selecting.select(
                        key -> drop((Lingering) key.attachment(), dropped), isCalled ? FIRST_LOOK_MILLIS : LOOK_MILLIS);
                if (isCalled) {
                    called.set(false);
                    welcome(selecting, dropped);
                }
                long now = NanoTime.now();
                if (NanoTime.millisElapsed(lastLook, now) >= LOOK_MILLIS) {
                    lastLook = now;
                    lingering.forEach(one -> look(one, dropped));
                }
                lastLingering = lingering.isEmpty() ? lastLingering : now;
            } while (NanoTime.millisSince(lastLingering) < restMillis || !rest());
        } catch (ClosedSelectorException stopped) {
            LOG.debug("Stopped");
        } catch (OutOfMemoryError x) {
            // No memory outside the heap: as where there is no thread.
            warnOnce(x);
            end(selecting, Lingering::cut);
        } catch (Throwable x) {
            LOG.warn("Closing all that linger", x);
        } finally {
            end(selecting, Lingering::end);
        }
    }

    /** @return whether the peer has sent something, and may send more */
    private boolean drop(Lingering one, ByteBuffer dropped) {
        try {
            int read = one.channel.read(dropped.clear());
            if (read < 0) {
                one.end();
            } else if (read > 0) {
                one.lastNanoTime = NanoTime.now();
                one.bytes += read;
                if (one.bytes <= mostBytes.getAsLong()) {
                    return true;
                }
                one.cut();
            }
        } catch (IOException x) {
            LOG.debug("Reset while lingering: {}", x.toString());
            one.end();
        }
        return false;
    }

    private void welcome(Selector selecting, ByteBuffer dropped) {
        for (Lingering one = arriving.poll(); one != null; one = arriving.poll()) {
            drop(one, dropped);
            try {
                if (one.channel.isOpen()) {
                    one.channel.register(selecting, SelectionKey.OP_READ, one);
                }
            } catch (IOException x) {
                LOG.debug("Closed before it lingered: {}", x.toString());
                one.end();
            }
        }
    }

    private void look(Lingering one, ByteBuffer dropped) {
        long most = mostMillis.getAsLong();
        boolean seemsSilent = NanoTime.millisSince(one.lastNanoTime) >= Math.min(silenceMillis, most);
        if (!one.channel.isOpen() || (seemsSilent && !hasSent(one, dropped))) {
            one.end();
        } else if (NanoTime.millisSince(one.beginNanoTime) >= most) {
            one.cut();
        }
    }

    // This thread may have stood still, or a listener may have kept it: what came meanwhile is no silence. A channel
    // that blocks is another thread's to read.
    private boolean hasSent(Lingering one, ByteBuffer dropped) {
        return !one.channel.isBlocking() && drop(one, dropped);
    }

    private synchronized boolean rest() {
        if (!lingering.isEmpty()) {
            return false;
        }
        selector = null;
        return true;
    }

    private void end(Selector ending, Consumer<Lingering> end) {
        boolean isCurrent;
        synchronized (this) {
            isCurrent = selector == ending;
            if (isCurrent) {
                selector = null;
            }
        }
        if (isCurrent) {
            lingering.forEach(end);
        }
        IO.close(ending);
    }

    @Override
    protected synchronized void doStart() {
        warned = false;
    }

    @Override
    protected void doStop() {
        Thread ending;
        Selector current;
        synchronized (this) {
            ending = thread;
            current = selector;
            thread = null;
        }
        arriving.clear();
        if (current != null && ending != null) {
            end(current, Lingering::end);
            try {
                // The thread may be telling a listener of an end.
                ending.join(STOP_MILLIS);
            } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String toString() {
        return "LingeringClose[now=" + getLingering() + ",begun=" + getBegun() + ",cut=" + getCut() + "]";
    }
}
