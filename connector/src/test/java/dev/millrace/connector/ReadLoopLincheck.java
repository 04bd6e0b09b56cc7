package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Interleavings;
import dev.millrace.testing.UnusableChannel;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.FillInterest;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** Which thread waits for the peer, while bytes come and others ask, write, or take the channel over: see {@link Interleavings}. */
class ReadLoopLincheck {
    /** Blocks in a read as long as the peer has sent nothing. */
    private static final class PeerChannel extends UnusableChannel {
        // Guarded by the peer's lock, and not by the channel's own.
        private final Object peer = new Object();
        private int sent;
        private boolean ended;
        private final AtomicBoolean reading = new AtomicBoolean();

        void send() {
            synchronized (peer) {
                sent++;
                peer.notifyAll();
            }
        }

        void end() {
            synchronized (peer) {
                ended = true;
                peer.notifyAll();
            }
        }

        @Override
        public int read(ByteBuffer target) {
            assertFalse(reading.getAndSet(true), "two threads read");
            try {
                synchronized (peer) {
                    while (sent == 0 && !ended) {
                        try {
                            peer.wait();
                        } catch (InterruptedException x) {
                            throw new AssertionError(x);
                        }
                    }
                    if (sent == 0) {
                        return -1;
                    }
                    sent--;
                    target.put((byte) 1);
                    return 1;
                }
            } finally {
                reading.set(false);
            }
        }

        @Override
        public Socket socket() {
            return new Socket() {
                @Override
                public InputStream getInputStream() {
                    return new FilterInputStream(InputStream.nullInputStream()) {
                        @Override
                        public int available() {
                            synchronized (peer) {
                                return sent;
                            }
                        }
                    };
                }
            };
        }
    }

    /** A connection that takes what comes, and asks for more until the end. */
    private static class Reading implements ReadLoop.Owner {
        final PeerChannel channel = new PeerChannel();
        final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        final ReadLoop loop;
        volatile boolean lingers;
        private int taken;
        private boolean ended;
        private final FillInterest interest = new FillInterest() {
            @Override
            protected void needsFillInterest() throws IOException {
                loop.onInterest(loop.handlingThread() == Thread.currentThread());
            }
        };

        Reading() {
            ConnectionThreads started = new ConnectionThreads(
                    "test",
                    task -> {
                        Thread thread = new Thread(task);
                        threads.add(thread);
                        thread.start();
                    },
                    false);
            loop = new ReadLoop(
                    this,
                    new BioResources(
                            started, new ConnectorStatistics(() -> 0), null, ByteBufferPool.NON_POOLING, 16, () -> 0),
                    null);
        }

        @Override
        public PeerChannel getChannel() {
            return channel;
        }

        void open() {
            Runnable life = loop.begin(this::ask);
            if (life != null) {
                life.run();
            }
        }

        void ask() {
            interest.register(Callback.from(this::onFillable, x -> {
                throw new AssertionError(x);
            }));
        }

        void onFillable() {
            while (true) {
                int filled = fill();
                if (filled < 0) {
                    return;
                }
                if (filled == 0) {
                    ask();
                    return;
                }
            }
        }

        synchronized int fill() {
            int filled;
            try {
                filled = loop.fill(BufferUtil.allocate(16));
            } catch (IOException x) {
                throw new AssertionError(x);
            }
            taken += Math.max(0, filled);
            ended |= filled < 0;
            return filled;
        }

        void assertTaken(int bytes) {
            for (Thread thread = threads.poll(); thread != null; thread = threads.poll()) {
                Interleavings.join(thread);
            }
            synchronized (this) {
                assertEquals(bytes, taken);
                assertTrue(ended);
            }
        }

        @Override
        public FillInterest getFillInterest() {
            return interest;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void notIdle() {}

        @Override
        public void close(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public boolean lingerIfClosed() {
            return lingers;
        }
    }

    @Test
    void losesNoByteAndNoEnd() {
        Interleavings.explore(() -> {
            Reading reading = new Reading();
            Interleavings.together(reading::open, () -> {
                reading.channel.send();
                reading.channel.send();
                reading.channel.end();
            });
            reading.assertTaken(2);
        });
    }

    /** A handler that waits for content holds its thread: another has to read for it. */
    private static final class Handling extends Reading {
        private boolean handles = true;

        @Override
        void onFillable() {
            if (!handles) {
                super.onFillable();
                return;
            }
            handles = false;
            // As a request that is complete is handled, and its handler asks for more.
            assertTrue(fill() > 0);
            Thread handler = new Thread(super::onFillable);
            threads.add(handler);
            handler.start();
            Interleavings.join(handler);
        }
    }

    @Test
    void readsForAHandlerThatHoldsItsThread() {
        Interleavings.explore(() -> {
            Handling handling = new Handling();
            Interleavings.together(handling::open, () -> {
                handling.channel.send();
                handling.channel.send();
                handling.channel.end();
            });
            handling.assertTaken(2);
        });
    }

    @Test
    void readsNothingWhileItIsPaused() {
        Interleavings.explore(() -> {
            Reading reading = new Reading();
            Interleavings.together(
                    reading::open,
                    () -> {
                        reading.channel.send();
                        reading.channel.end();
                    },
                    () -> {
                        if (reading.loop.pause()) {
                            assertFalse(reading.channel.reading.getAndSet(true), "a thread reads");
                            reading.channel.reading.set(false);
                            reading.loop.resume();
                        }
                    });
            reading.assertTaken(1);
        });
    }

    /** Answers one request, and then asks no more, for its protocol has changed. */
    private static final class Leaving extends Reading {
        private volatile boolean hasLeft;

        @Override
        void onFillable() {
            fill();
            if (loop.leave()) {
                hasLeft = true;
                // As a selector reads: no thread of the loop may.
                assertFalse(channel.reading.getAndSet(true), "a thread reads");
            }
        }
    }

    @Test
    void readsNothingWhenItHasLeft() {
        Interleavings.explore(() -> {
            Leaving leaving = new Leaving();
            Interleavings.together(leaving::open, () -> {
                leaving.channel.send();
                leaving.channel.send();
            });
            assertTrue(leaving.hasLeft);
        });
    }

    /** Takes what was read before it left. */
    private static final class Draining extends Reading {
        private volatile int drained;

        @Override
        void onFillable() {
            assertTrue(loop.leave());
            drained = loop.drain(BufferUtil.allocate(16));
        }
    }

    @Test
    void givesAwayWhatItHasReadThoughAnotherThreadWrites() {
        Interleavings.explore(() -> {
            Draining draining = new Draining();
            Interleavings.together(draining::open, draining.channel::send, () -> {
                if (draining.loop.pause()) {
                    draining.loop.resume();
                }
            });
            assertEquals(1, draining.drained);
        });
    }
}
