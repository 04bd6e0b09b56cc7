package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Interleavings;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.WritePendingException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.WriteFlusher;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/**
 * Which thread writes, and that none does when it must not, while writes are given up and connections closed: see {@link Interleavings}.
 * Together with the other half, Jetty's own flusher.
 */
class WriteDutyLincheck {
    /** A connection whose socket takes the first half of a write at once, and the second when the peer has taken the first. */
    private static final class Writing implements WriteDuty.Owner {
        private final Exception cause = new Exception("given up, or closed");
        private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger completed = new AtomicInteger();
        private final AtomicInteger succeeded = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private final WriteDuty duty;
        private final WriteFlusher flusher = new WriteFlusher(null) {
            @Override
            protected void onIncompleteFlush() {
                duty.completeElsewhere();
            }

            @Override
            protected ByteBuffer[] flush(SocketAddress address, ByteBuffer[] buffers) throws IOException {
                return Writing.this.flush() ? null : buffers;
            }
        };
        // Guarded by this.
        private int taken;
        private boolean woken;
        private boolean closed;
        private volatile boolean givenUp;
        private volatile String broken;

        Writing(boolean hasThreads) {
            ConnectionThreads started = new ConnectionThreads(
                    "test",
                    task -> {
                        if (!hasThreads) {
                            throw new RejectedExecutionException("no thread");
                        }
                        Thread thread = new Thread(task);
                        threads.add(thread);
                        thread.start();
                    },
                    false);
            duty = new WriteDuty(
                    this,
                    new BioResources(
                            started, new ConnectorStatistics(() -> 0), null, ByteBufferPool.NON_POOLING, 16, () -> 0));
        }

        /** As the end point does: half of it at once, or else the rest on the thread that may wait. */
        private boolean flush() throws IOException {
            if (isOutputShutdown()) {
                throw new EOFException();
            }
            boolean inBackground = duty.takeBackgroundWrite(null);
            duty.begin();
            try {
                noteIfGivenUp("begins");
                if (inBackground) {
                    awaitPeer();
                    completed.incrementAndGet();
                } else {
                    begun.incrementAndGet();
                }
                return inBackground;
            } finally {
                duty.end();
            }
        }

        private synchronized void awaitPeer() throws IOException {
            while (taken == 0 && !woken) {
                try {
                    wait();
                } catch (InterruptedException x) {
                    throw new AssertionError(x);
                }
            }
            if (woken) {
                throw new EOFException();
            }
            taken--;
            noteIfGivenUp("writes");
        }

        // Of a connection that is closed nothing leaves any more, whoever writes. Not thrown: the flusher fails a write
        // with what is.
        private void noteIfGivenUp(String what) {
            if (givenUp && !isOutputShutdown()) {
                broken = what + " though it was given up";
            }
        }

        synchronized void take() {
            taken++;
            notifyAll();
        }

        void write(Runnable then) {
            Callback callback = Callback.from(
                    () -> {
                        succeeded.incrementAndGet();
                        then.run();
                    },
                    x -> failed.incrementAndGet());
            try {
                flusher.write(callback, BufferUtil.EMPTY_BUFFER);
            } catch (WritePendingException x) {
                // Jetty's flusher was idle and given up between its two looks at that: the caller fails the write.
                callback.failed(x);
            }
        }

        void write() {
            write(() -> {});
        }

        void giveUp() {
            Callback callback = duty.cancel(cause);
            givenUp = true;
            if (callback != null) {
                callback.failed(cause);
            }
        }

        @Override
        public WriteFlusher getWriteFlusher() {
            return flusher;
        }

        @Override
        public synchronized boolean isOutputShutdown() {
            return closed;
        }

        @Override
        public boolean isBlocking() {
            return true;
        }

        // Wakes the thread that writes, if it is seen to: a channel does not care who waits.
        @Override
        public void close(Throwable why) {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
            }
            if (duty.isWriting()) {
                synchronized (this) {
                    woken = true;
                    notifyAll();
                }
            }
            flusher.onFail(why);
        }

        /** That each write has ended once, and that no connection goes on after half of one. */
        void assertEnded(int writes) {
            for (Thread thread = threads.poll(); thread != null; thread = threads.poll()) {
                Interleavings.join(thread);
            }
            assertNull(broken);
            assertEquals(writes, succeeded.get() + failed.get());
            assertTrue(begun.get() == completed.get() || isOutputShutdown(), "goes on after half a write");
            assertFalse(duty.isWriting());
        }
    }

    @Test
    void endsOnceWhenItIsGivenUp() {
        Interleavings.explore(() -> {
            Writing writing = new Writing(true);
            Interleavings.together(writing::write, writing::take, writing::giveUp);
            writing.assertEnded(1);
        });
    }

    @Test
    void endsOnceWhenTheConnectionIsClosed() {
        Interleavings.explore(() -> {
            Writing writing = new Writing(true);
            // The peer takes nothing: whoever is not woken waits for ever.
            Interleavings.together(writing::write, () -> writing.close(writing.cause));
            writing.assertEnded(1);
        });
    }

    @Test
    void endsOnceWhenItIsGivenUpAndTheConnectionClosed() {
        Interleavings.explore(() -> {
            Writing writing = new Writing(true);
            Interleavings.together(writing::write, writing::giveUp, () -> writing.close(writing.cause));
            writing.assertEnded(1);
        });
    }

    @Test
    void endsOnceWhenThereIsNoThreadForIt() {
        Interleavings.explore(() -> {
            Writing writing = new Writing(false);
            Interleavings.together(writing::write, writing::giveUp);
            writing.assertEnded(1);
        });
    }

    /** The callback of a write is the application's: what it writes on the thread that completed the first may not wait there. */
    @Test
    void isOnAThreadOfItsOwnEachTime() {
        Interleavings.explore(() -> {
            Writing writing = new Writing(true);
            Interleavings.together(() -> writing.write(writing::write), () -> {
                writing.take();
                writing.take();
            });
            writing.assertEnded(2);
            assertEquals(2, writing.begun.get());
            assertEquals(2, writing.completed.get());
        });
    }
}
