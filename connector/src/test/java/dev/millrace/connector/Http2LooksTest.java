package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the scheduler's thread does for requests of HTTP/2 that were read together, with a pool that runs its tasks when it is told. */
@Timeout(60)
class Http2LooksTest {
    private static final int MANY_LOOKS = 10;

    private final List<Runnable> scheduled = new ArrayList<>();
    private final Queue<Runnable> pool = new ArrayDeque<>();
    private final StringBuilder written = new StringBuilder();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger run = new AtomicInteger();
    private final StreamExecutor executor = new StreamExecutor(pool::add, new Kept(), () -> true);
    private boolean schedulerFails;
    private Runnable meanwhile = () -> {};

    /** Looks when the test says so. */
    private final class Kept extends AbstractLifeCycle implements Scheduler {
        @Override
        public Task schedule(Runnable look, long delay, TimeUnit unit) {
            if (schedulerFails) {
                throw new RejectedExecutionException("expected by the test");
            }
            scheduled.add(look);
            return () -> scheduled.remove(look);
        }
    }

    private Http2Turns turns() {
        return Http2TurnsTest.turns(executor, this::write, opened::get);
    }

    private void write(Callback callback, ByteBuffer... buffers) {
        written.append(BufferUtil.toString(buffers[0]));
        Runnable now = meanwhile;
        meanwhile = () -> {};
        now.run();
        callback.succeeded();
    }

    private void look() {
        List<Runnable> now = List.copyOf(scheduled);
        scheduled.clear();
        now.forEach(Runnable::run);
    }

    /** The turn of a thread that has read requests which the pool is to run, and goes on to read. */
    private StreamExecutor.Turn read(Http2Turns turns, Runnable... requests) {
        turns.afterFill(1);
        opened.addAndGet(2);
        StreamExecutor.Turn reading = executor.turn();
        for (Runnable request : requests) {
            executor.execute(request);
        }
        executor.end();
        return reading;
    }

    private void runPool() {
        while (!pool.isEmpty()) {
            pool.remove().run();
        }
    }

    /** Such as one that writes the lines of a log as they come. */
    @Test
    void oneThatKeepsWritingHoldsUpNoOther() {
        Http2Turns turns = turns();
        Runnable keepsWriting = () -> {
            for (int i = 0; i < MANY_LOOKS && pool.isEmpty(); i++) {
                turns.write(Callback.NOOP, BufferUtil.toBuffer("x"));
                look();
            }
            run.set(pool.size());
        };
        read(turns, keepsWriting, () -> {});
        pool.remove().run();
        assertEquals(1, run.get());
    }

    /** Also of a handler that says it does not block, which the thread runs that reads. */
    @Test
    void whatOneHasWrittenLeavesWhileItWritesOn() {
        Http2Turns turns = turns();
        read(turns);
        turns.afterFill(1);
        for (int i = 0; i < MANY_LOOKS && written.isEmpty(); i++) {
            turns.write(Callback.NOOP, BufferUtil.toBuffer("x"));
            look();
        }
        assertTrue(written.length() > 0);
    }

    @Test
    void theReaderHoldsOnWhileItBeginsRequests() {
        Http2Turns turns = turns();
        turns.afterFill(1);
        for (int i = 0; i < MANY_LOOKS; i++) {
            opened.incrementAndGet();
            turns.write(Callback.NOOP, BufferUtil.toBuffer("x"));
            look();
        }
        assertEquals("", written.toString());
        turns.beforeFill();
        assertEquals(MANY_LOOKS, written.length());
    }

    /** The pool then has each of them, for nobody would look after a turn. */
    @Test
    void allRunAlthoughTheSchedulerFails() {
        Http2Turns turns = turns();
        schedulerFails = true;
        read(turns, run::incrementAndGet, run::incrementAndGet);
        runPool();
        assertEquals(2, run.get());
        schedulerFails = false;
        read(turns, run::incrementAndGet, run::incrementAndGet);
        runPool();
        assertEquals(4, run.get());
        assertEquals(1, scheduled.size());
    }

    @Test
    @Timeout(60)
    void noneWaitsForATurnThatHasFailed() {
        AtomicBoolean isTaken = new AtomicBoolean();
        // A turn takes nothing when the machine has held it up for ten milliseconds, and for a second after that.
        while (!isTaken.get()) {
            Http2Turns turns = turns();
            StreamExecutor.Turn reading = read(turns, () -> turns.write(Callback.NOOP, BufferUtil.toBuffer("x")));
            meanwhile = () -> {
                isTaken.set(reading.takes(run::incrementAndGet));
                throw new OutOfMemoryError("expected by the test");
            };
            Runnable runner = pool.remove();
            assertThrows(OutOfMemoryError.class, runner::run);
            runPool();
        }
        assertEquals(1, run.get());
    }

    /** The session may have much more to write, and whatever waits for that may block. */
    @Test
    void theSchedulersThreadWritesNothingElse() {
        List<Runnable> elsewhere = new ArrayList<>();
        Http2Turns turns = Http2TurnsTest.turns(
                executor, new HeldWrites(this::write, ByteBufferPool.NON_POOLING, elsewhere::add), opened::get);
        AtomicBoolean isWritten = new AtomicBoolean();
        Callback other = Callback.from(InvocationType.NON_BLOCKING, () -> isWritten.set(true));
        meanwhile = () -> CompletableFuture.runAsync(() -> turns.write(other, BufferUtil.toBuffer("b")))
                .join();
        turns.afterFill(1);
        turns.write(Callback.NOOP, BufferUtil.toBuffer("a"));
        look();
        look();
        assertEquals("a", written.toString());
        assertEquals(1, elsewhere.size());
        elsewhere.get(0).run();
        assertTrue(isWritten.get());
        assertEquals("ab", written.toString());
    }

    /** Its socket has room, and its own thread would have written it at once. */
    @Test
    void aWriteDoesNotWaitInThePoolsQueue() throws Exception {
        StreamExecutor exhausted = new StreamExecutor(pool::add, new Kept(), () -> false);
        CountDownLatch ran = new CountDownLatch(1);
        new Http2Writes(exhausted, ByteBufferPool.NON_POOLING, task -> new Thread(task).start())
                .executeSoon(ran::countDown);
        assertTrue(ran.await(30, TimeUnit.SECONDS), "ran");
    }
}
