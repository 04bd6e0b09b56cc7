package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Interleavings;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;

/** Requests and writes of a thread in its turn, while the scheduler's thread ends that: see {@link Interleavings}. */
class Http2TurnsLincheck {
    /** A connection that has read three requests, and whose socket takes everything. */
    private static final class Read extends AbstractLifeCycle implements Scheduler {
        private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        private final Queue<Runnable> looks = new ConcurrentLinkedQueue<>();
        private final AtomicInteger unwritten = new AtomicInteger();
        private final AtomicInteger written = new AtomicInteger();
        private final StreamExecutor executor = new StreamExecutor(this::start, this, () -> true);
        private final Http2Turns turns;
        private final StreamExecutor.Turn reading;
        private int opened;

        Read() {
            turns = Http2TurnsTest.turns(executor, this::write, () -> opened);
            turns.afterFill(1);
            opened = 3;
            reading = executor.turn();
            executor.end();
        }

        private void start(Runnable task) {
            Thread thread = new Thread(task);
            threads.add(thread);
            thread.start();
        }

        private void write(Callback callback, ByteBuffer... buffers) {
            written.addAndGet((int) BufferUtil.remaining(buffers));
            callback.succeeded();
        }

        @Override
        public Task schedule(Runnable look, long delay, TimeUnit unit) {
            looks.add(look);
            return () -> looks.remove(look);
        }

        void look() {
            Runnable look = looks.poll();
            if (look != null) {
                look.run();
            }
        }

        /** One write at a time, as Jetty's flusher has it: the next begins when the last is complete. */
        void answer() {
            if (unwritten.getAndIncrement() == 0) {
                writeNext();
            }
        }

        private void writeNext() {
            Callback whenComplete = Callback.from(() -> {
                if (unwritten.decrementAndGet() > 0) {
                    writeNext();
                }
            });
            turns.write(whenComplete, BufferUtil.toBuffer("x"));
        }

        void join() {
            for (Thread thread = threads.poll(); thread != null; thread = threads.poll()) {
                Interleavings.join(thread);
            }
        }
    }

    /** A handler may wait behind its write for as long as it likes, and nothing else then has it leave. */
    @Test
    void holdNothingWhenTheyHaveEnded() {
        Interleavings.explore(() -> {
            Read read = new Read();
            Interleavings.together(
                    () -> {
                        read.executor.begin(read.reading);
                        read.answer();
                    },
                    () -> {
                        read.reading.look();
                        read.reading.look();
                    });
            read.reading.look();
            read.reading.look();
            assertEquals(1, read.written.get());
        });
    }

    /** Nobody else would have it leave: the one that wrote does not read again. */
    @Test
    void holdNothingWhenAnotherThreadReadsOn() {
        Interleavings.explore(() -> {
            Read read = new Read();
            Interleavings.together(
                    () -> {
                        read.executor.begin(read.reading);
                        read.answer();
                    },
                    read.turns::beforeFill);
            assertEquals(1, read.written.get());
        });
    }

    @Test
    void leaveNoRequestBehind() {
        Interleavings.explore(() -> {
            Read read = new Read();
            AtomicInteger run = new AtomicInteger();
            Runnable request = () -> {
                run.incrementAndGet();
                read.answer();
            };
            Interleavings.together(
                    () -> {
                        read.executor.begin(read.reading);
                        read.executor.execute(request);
                        read.executor.execute(request);
                        read.executor.execute(request);
                        read.turns.beforeFill();
                    },
                    () -> {
                        read.look();
                        read.look();
                    });
            read.join();
            assertEquals(3, run.get());
            assertEquals(3, read.written.get());
        });
    }
}
