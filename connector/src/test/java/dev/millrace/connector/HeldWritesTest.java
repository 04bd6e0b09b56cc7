package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.FutureCallback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HeldWritesTest {
    private final ArrayByteBufferPool.Tracking pool = new ArrayByteBufferPool.Tracking();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    /** Takes one write at a time, which is complete at once, or when it is told. */
    private final class Socket implements HeldWrites.Writer {
        private boolean full;
        private Callback pending;
        private int writes;

        @Override
        public void write(Callback callback, ByteBuffer... buffers) {
            synchronized (this) {
                if (pending != null) {
                    throw new IllegalStateException("a write is pending");
                }
                writes++;
                for (ByteBuffer buffer : buffers) {
                    byte[] bytes = BufferUtil.toArray(buffer);
                    buffer.position(buffer.limit());
                    written.writeBytes(bytes);
                }
                if (full) {
                    pending = callback;
                    return;
                }
            }
            callback.succeeded();
        }

        private synchronized Callback takePending() {
            Callback taken = Objects.requireNonNull(pending);
            pending = null;
            return taken;
        }
    }

    private final Socket socket = new Socket();
    private final HeldWrites held = new HeldWrites(socket, pool, executor);

    @AfterEach
    void leavesNothing() {
        executor.shutdownNow();
        assertEquals(0, pool.getLeaks().size(), pool::dumpLeaks);
    }

    private FutureCallback write(boolean mayHold, String content) {
        FutureCallback callback = new FutureCallback();
        held.write(mayHold, callback, ByteBuffer.wrap(content.getBytes(StandardCharsets.US_ASCII)));
        return callback;
    }

    private static FutureCallback callback(InvocationType type) {
        return new FutureCallback() {
            @Override
            public InvocationType getInvocationType() {
                return type;
            }
        };
    }

    private void hold(String content) {
        assertTrue(write(true, content).isDone());
    }

    private String written() {
        return written.toString(StandardCharsets.US_ASCII);
    }

    @Test
    void leaveTogether() {
        hold("a");
        hold("b");
        assertEquals("", written());
        held.release();
        assertEquals("ab", written());
        assertEquals(1, socket.writes);
        held.release();
        assertEquals(1, socket.writes);
    }

    @Test
    void leaveBeforeAWriteThatIsNotHeld() {
        hold("a");
        assertTrue(write(false, "b").isDone());
        assertEquals("ab", written());
        assertEquals(1, socket.writes);
    }

    @Test
    void leaveBeforeALongWrite() {
        String content = "x".repeat(HeldWrites.MOST_BYTES + 1);
        hold("a");
        hold(content);
        assertEquals("a" + content, written());
    }

    @Test
    void leaveWhenThereIsNoRoomForAnother() {
        String content = "x".repeat(HeldWrites.MOST_BYTES);
        for (int i = 0; i < 9; i++) {
            hold(content);
        }
        held.release();
        assertEquals(9 * HeldWrites.MOST_BYTES, written.size());
        assertEquals(2, socket.writes);
    }

    @Test
    void aWriteWaitsForTheHeldOnesThatTheSocketDoesNotTake() throws Exception {
        socket.full = true;
        hold("a");
        held.release();
        FutureCallback next = write(true, "b");
        assertEquals("a", written());
        assertFalse(next.isDone());
        socket.full = false;
        socket.takePending().succeeded();
        next.get();
        assertEquals("ab", written());
    }

    @Test
    void aWriteFailsWithTheHeldOnesBeforeIt() {
        socket.full = true;
        hold("a");
        held.release();
        FutureCallback next = write(false, "b");
        EOFException failure = new EOFException();
        socket.takePending().failed(failure);
        assertSame(failure, assertThrows(ExecutionException.class, next::get).getCause());
    }

    private static void assertFailed(Throwable failure, FutureCallback write) {
        assertTrue(write.isDone());
        assertSame(failure, assertThrows(ExecutionException.class, write::get).getCause());
    }

    /** As where there is no memory. Peers would take what follows for a part of what is lost. */
    @Test
    void writesFailBehindHeldOnesWhoseWriteThrows() {
        InternalError failure = new InternalError("meant to fail");
        FutureCallback during = new FutureCallback();
        HeldWrites[] failing = new HeldWrites[1];
        failing[0] = new HeldWrites(
                (callback, buffers) -> {
                    failing[0].write(false, during, ByteBuffer.wrap(new byte[1]));
                    throw failure;
                },
                pool,
                executor);
        failing[0].write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        assertSame(failure, assertThrows(InternalError.class, failing[0]::release));
        assertFalse(failing[0].isReleasing());
        FutureCallback after = new FutureCallback();
        failing[0].write(true, after, ByteBuffer.wrap(new byte[1]));
        failing[0].end();
        assertFailed(failure, during);
        assertFailed(failure, after);
    }

    @Test
    void aWriteThatThrowsAfterTheHeldOnesFails() {
        InternalError failure = new InternalError("meant to fail");
        List<Callback> pending = new ArrayList<>();
        HeldWrites failing = new HeldWrites(
                (callback, buffers) -> {
                    if (!pending.isEmpty()) {
                        throw failure;
                    }
                    pending.add(callback);
                },
                pool,
                executor);
        failing.write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        failing.release();
        FutureCallback next = callback(InvocationType.NON_BLOCKING);
        failing.write(false, next, ByteBuffer.wrap(new byte[1]));
        assertThrows(InternalError.class, pending.get(0)::succeeded);
        assertFailed(failure, next);
    }

    @Test
    void areGivenBackOnceThoughTheirCompleteWriteThrows() {
        InternalError failure = new InternalError("meant to fail");
        HeldWrites failing = new HeldWrites(
                (callback, buffers) -> {
                    callback.succeeded();
                    throw failure;
                },
                pool,
                executor);
        failing.write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        assertSame(failure, assertThrows(InternalError.class, failing::release));
    }

    @Test
    void areLostWhenTheConnectionEnds() {
        hold("a");
        held.end();
        held.release();
        assertEquals("", written());
        hold("b");
        assertEquals("b", written());
    }

    @Test
    void areBeingReleasedAsLongAsAThreadWrites() {
        List<Boolean> releasing = new ArrayList<>();
        HeldWrites[] observed = new HeldWrites[1];
        observed[0] = new HeldWrites(
                (callback, buffers) -> {
                    releasing.add(observed[0].isReleasing());
                    callback.succeeded();
                },
                pool,
                executor);
        observed[0].write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        assertFalse(observed[0].isReleasing());
        observed[0].release();
        assertFalse(observed[0].isReleasing());
        observed[0].write(false, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        assertEquals(List.of(true, false), releasing);
    }

    @Test
    void areBeingReleasedUntilAnotherThreadHasWrittenWhatFollows() throws Exception {
        List<Runnable> elsewhere = new ArrayList<>();
        HeldWrites alone = new HeldWrites(socket, pool, elsewhere::add);
        socket.full = true;
        alone.write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        alone.releaseAlone();
        FutureCallback next = new FutureCallback();
        alone.write(false, next, ByteBuffer.wrap(new byte[1]));
        socket.full = false;
        socket.takePending().succeeded();
        assertTrue(alone.isReleasing());
        elsewhere.get(0).run();
        next.get();
        assertFalse(alone.isReleasing());
    }

    /** The application may hear of it. */
    @Test
    void theThreadThatReleasesAloneTellsOfNoFailure() {
        List<Runnable> elsewhere = new ArrayList<>();
        HeldWrites alone = new HeldWrites(socket, pool, elsewhere::add);
        socket.full = true;
        alone.write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        alone.releaseAlone();
        FutureCallback next = new FutureCallback();
        alone.write(false, next, ByteBuffer.wrap(new byte[1]));
        EOFException failure = new EOFException();
        socket.takePending().failed(failure);
        assertFalse(next.isDone());
        elsewhere.get(0).run();
        assertSame(failure, assertThrows(ExecutionException.class, next::get).getCause());
    }

    /** A selector may complete the release. The application that hears of the failure may block. */
    @Test
    void theThreadThatReleasesTellsOfNoFailureThatMayBlock() {
        List<Runnable> elsewhere = new ArrayList<>();
        HeldWrites turn = new HeldWrites(socket, pool, elsewhere::add);
        socket.full = true;
        turn.write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        turn.release();
        FutureCallback next = callback(InvocationType.BLOCKING);
        turn.write(false, next, ByteBuffer.wrap(new byte[1]));
        EOFException failure = new EOFException();
        socket.takePending().failed(failure);
        assertFalse(next.isDone());
        elsewhere.get(0).run();
        assertFailed(failure, next);
    }

    /** Jetty's pools keep a job for which they get no thread. Its buffers are the caller's again by then. */
    @Test
    void aWriteThatHasFailedForWantOfAThreadIsNotWrittenLater() {
        List<Runnable> kept = new ArrayList<>();
        OutOfMemoryError failure = new OutOfMemoryError("meant to fail");
        HeldWrites alone = new HeldWrites(socket, pool, task -> {
            kept.add(task);
            throw failure;
        });
        socket.full = true;
        alone.write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        alone.releaseAlone();
        FutureCallback next = new FutureCallback();
        alone.write(false, next, ByteBuffer.wrap(new byte[1]));
        socket.full = false;
        socket.takePending().succeeded();
        assertFailed(failure, next);
        kept.get(0).run();
        assertEquals(1, socket.writes);
    }

    /** Jetty has the caller run what gets no thread. */
    @Test
    void areCountedRightlyWhenWhatFollowsThrowsInTheirThread() {
        OutOfMemoryError failure = new OutOfMemoryError("meant to fail");
        List<Callback> pending = new ArrayList<>();
        List<Boolean> releasing = new ArrayList<>();
        HeldWrites[] failing = new HeldWrites[1];
        failing[0] = new HeldWrites(
                (callback, buffers) -> {
                    releasing.add(failing[0].isReleasing());
                    pending.add(callback);
                    if (pending.size() == 2) {
                        throw failure;
                    }
                },
                pool,
                Runnable::run);
        failing[0].write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        failing[0].releaseAlone();
        FutureCallback next = new FutureCallback();
        failing[0].write(false, next, ByteBuffer.wrap(new byte[1]));
        pending.get(0).succeeded();
        assertFailed(failure, next);
        assertFalse(failing[0].isReleasing());
        failing[0].write(true, Callback.NOOP, ByteBuffer.wrap(new byte[1]));
        failing[0].release();
        pending.get(2).succeeded();
        assertEquals(List.of(true, true, true), releasing);
    }

    @Test
    void areReleasedAlthoughThePeerTakesNothing() {
        socket.full = true;
        hold("a");
        held.release();
        assertFalse(held.isReleasing());
        socket.takePending().succeeded();
    }

    /** The flusher writes in order, and another thread releases at any moment. */
    @Test
    void keepTheirOrder() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Void> releasing = CompletableFuture.runAsync(
                () -> {
                    while (!ended.get()) {
                        held.release();
                    }
                },
                executor);
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            String content = i + ",";
            expected.append(content);
            // The one thread of the executor is the other one: what goes on is not to need it.
            Callback.Completable callback = new Callback.Completable() {
                @Override
                public InvocationType getInvocationType() {
                    return InvocationType.NON_BLOCKING;
                }
            };
            held.write(i % 3 != 0, callback, ByteBuffer.wrap(content.getBytes(StandardCharsets.US_ASCII)));
            callback.get();
        }
        ended.set(true);
        releasing.get();
        held.release();
        assertEquals(expected.toString(), written());
    }
}
