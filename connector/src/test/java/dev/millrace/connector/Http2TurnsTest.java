package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.GatheringByteChannel;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.eclipse.jetty.http2.SimpleFlowControlStrategy;
import org.eclipse.jetty.http2.generator.Generator;
import org.eclipse.jetty.http2.server.internal.HTTP2ServerSession;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What short requests that are read together cost: one thread, and one write. */
@Timeout(60)
class Http2TurnsTest {
    private static final int REQUESTS = 8;
    private static final int MOST_PARTS = 5000;

    private final AtomicInteger writes = new AtomicInteger();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final CountDownLatch released = new CountDownLatch(1);

    private TestServer start(Connectors connectors) throws Exception {
        TestServer server = new TestServer(s -> counting((MillraceConnector) connectors.http2(s)));
        return server.start(Handlers.of((request, response, callback) -> {
            threads.add(Thread.currentThread());
            if (Request.getPathInContext(request).equals("/slow")) {
                assertTrue(released.await(30, TimeUnit.SECONDS), "released");
            } else if (Request.getPathInContext(request).equals("/writing")) {
                writeUntilReleased(response);
            } else if (Request.getPathInContext(request).equals("/releases")) {
                released.countDown();
            }
            Content.Sink.write(response, true, "fine", callback);
        }));
    }

    // As one that sends the lines of a log as they come.
    private void writeUntilReleased(Response response) throws Exception {
        for (int i = 0; i < MOST_PARTS && !released.await(1, TimeUnit.MILLISECONDS); i++) {
            Content.Sink.write(response, false, BufferUtil.toBuffer("."));
        }
        assertEquals(0, released.getCount(), "the request behind it has not begun");
    }

    private ServerConnector counting(MillraceConnector connector) {
        connector.setContentWriterFactory(pool -> (channel, buffers, from, to, mostBytes) -> {
            writes.incrementAndGet();
            return write(channel, buffers, from, to, mostBytes);
        });
        return connector;
    }

    private static long write(
            GatheringByteChannel channel, java.nio.ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        return GatherWriter.INSTANCE.write(channel, buffers, from, to, mostBytes);
    }

    private void ask(Http2Frames frames) {
        String[] paths = new String[REQUESTS];
        Arrays.fill(paths, "/");
        threads.clear();
        writes.set(0);
        try {
            frames.getTogether(paths);
            assertEquals(REQUESTS, frames.contents(REQUESTS).size());
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"STOCK", "NIO_HANDOFF", "BIO_VIRTUAL"})
    void haveOneThreadAndOneWrite(Connectors connectors) throws Exception {
        try (TestServer server = start(connectors);
                RawClient client = server.client()) {
            awaitTurns(new Http2Frames(client));
        }
    }

    @Test
    void areCountedWhenTheyWait() throws Exception {
        try (TestServer server = start(Connectors.NIO);
                RawClient client = server.client()) {
            awaitOneThatWaits(server, new Http2Frames(client));
        }
    }

    @Test
    void oneThatKeepsWritingHoldsUpNone() throws Exception {
        try (TestServer server = start(Connectors.NIO);
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client);
            awaitTurns(frames);
            frames.getTogether("/writing", "/releases");
            assertEquals(2, frames.contents(2).size());
        }
    }

    private void awaitOneThatWaits(TestServer server, Http2Frames frames) {
        long before = waits(server);
        // Requests that a busy machine makes long have Jetty's way, for a while.
        Await.until("one has waited", () -> {
            awaitTurns(frames);
            askBehindOneThatWaits(frames);
            return waits(server) > before;
        });
        released.countDown();
    }

    private static void askBehindOneThatWaits(Http2Frames frames) {
        try {
            frames.getTogether("/slow", "/");
            assertEquals("fine", frames.content());
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    private static long waits(TestServer server) {
        return server.connector().getBean(StreamExecutor.class).getWaits();
    }

    private static Http2Turns turns(StreamExecutor executor) {
        return turns(executor, (callback, buffers) -> callback.succeeded(), () -> 0);
    }

    static Http2Turns turns(StreamExecutor executor, HeldWrites.Writer socket, LongSupplier streamsOpened) {
        return turns(executor, new HeldWrites(socket, ByteBufferPool.NON_POOLING, Runnable::run), streamsOpened);
    }

    static Http2Turns turns(StreamExecutor executor, HeldWrites held, LongSupplier streamsOpened) {
        HTTP2ServerSession session =
                new HTTP2ServerSession(
                        new ScheduledExecutorScheduler(),
                        new ByteArrayEndPoint(),
                        null,
                        new Generator(ByteBufferPool.NON_POOLING),
                        null,
                        new SimpleFlowControlStrategy()) {
                    @Override
                    public long getStreamsOpened() {
                        return streamsOpened.getAsLong();
                    }
                };
        return new Http2Turns(executor, session, held);
    }

    /** A session whose write had to wait for what was held goes on with its next one, on the thread that releases. */
    @Test
    void leaveNothingHeldThatTheSessionWritesAtTheirEnd() {
        StringBuilder written = new StringBuilder();
        AtomicReference<Http2Turns> turns = new AtomicReference<>();
        StreamExecutor executor = streamExecutor();
        HeldWrites.Writer socket = (callback, buffers) -> {
            written.append(BufferUtil.toString(buffers[0]));
            if (written.length() == 1) {
                Callback goesOn = Callback.from(() -> turns.get().write(Callback.NOOP, BufferUtil.toBuffer("c")));
                CompletableFuture.runAsync(() -> turns.get().write(goesOn, BufferUtil.toBuffer("b")))
                        .join();
            }
            callback.succeeded();
        };
        AtomicInteger opened = new AtomicInteger();
        turns.set(turns(executor, socket, opened::get));
        turns.get().afterFill(1);
        opened.set(2);
        executor.execute(() -> turns.get().write(Callback.NOOP, BufferUtil.toBuffer("a")));
        assertEquals("abc", written.toString());
    }

    private static StreamExecutor streamExecutor() {
        return new StreamExecutor(Runnable::run, new ScheduledExecutorScheduler(), () -> true);
    }

    /** However long the request takes then: that alone would be a reason for a quarter of a second. */
    @Test
    void areForbiddenForASecondBehindOneThatWaits() {
        // On a busy machine the second may be over before the request is. Then that is measured, as any other.
        Await.until("the second lasts for longer than the request", this::areForbiddenBehindOneThatWaits);
    }

    /** @return whether the second was not over */
    private boolean areForbiddenBehindOneThatWaits() {
        AtomicInteger opened = new AtomicInteger();
        AtomicLong end = new AtomicLong();
        StreamExecutor executor = streamExecutor();
        turns(executor, (callback, buffers) -> callback.succeeded(), opened::get)
                .afterFill(1);
        opened.set(2);
        executor.execute(() -> {
            StreamExecutor.Turn waiting = executor.turn();
            waiting.look();
            waiting.look();
            end.set(executor.pauseEndNanoTime());
            long begin = NanoTime.now();
            while (NanoTime.millisSince(begin) < 1) {
                Thread.onSpinWait();
            }
        });
        if (!NanoTime.isBefore(NanoTime.now(), end.get())) {
            return false;
        }
        assertEquals(end.get(), executor.pauseEndNanoTime());
        return true;
    }

    /** A thread that has found a malformed frame does not read again, and goes on to other connections. */
    @Test
    void endWithTheConnection() {
        StreamExecutor executor = streamExecutor();
        Http2Turns turns = turns(executor);
        turns.afterFill(1);
        assertTrue(executor.turn().reads());
        turns.onClosed(null);
        assertNull(executor.turn());
    }

    /** Jetty's strategy does not tell the first of them, which then runs a request, when the other comes just as it asks for one. */
    @Test
    void endWhenAnotherThreadReadsOn() throws Exception {
        AtomicInteger written = new AtomicInteger();
        HeldWrites.Writer socket = (callback, buffers) -> {
            written.incrementAndGet();
            callback.succeeded();
        };
        Http2Turns turns = turns(streamExecutor(), socket, () -> 1);
        turns.afterFill(1);
        CompletableFuture.runAsync(turns::beforeFill).get(30, TimeUnit.SECONDS);
        turns.write(Callback.NOOP, BufferUtil.toBuffer("an answer"));
        assertEquals(1, written.get());
    }

    @Test
    void endWithTheConnectionThatAnotherThreadCloses() throws Exception {
        StreamExecutor executor = streamExecutor();
        Http2Turns turns = turns(executor);
        turns.afterFill(1);
        CompletableFuture.runAsync(() -> turns.onClosed(null)).get(30, TimeUnit.SECONDS);
        assertFalse(executor.turn().reads());
        // What another connection has for the pool goes there.
        AtomicInteger run = new AtomicInteger();
        executor.execute(run::incrementAndGet);
        assertEquals(1, run.get());
    }

    private void awaitTurns(Http2Frames frames) {
        Await.until(
                "one thread and one write",
                () -> {
                    ask(frames);
                    return threads.size() == 1 && writes.get() == 1;
                },
                () -> threads.size() + " threads, " + writes + " writes");
    }
}
