package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A write that lasts for longer than the idle timeout: no end point is idle while its peer takes something. */
@Timeout(60)
class PacedWriteTest {
    private static final int IDLE_MILLIS = 10_000;
    private static final int TICK_MILLIS = 300;
    /** They take longer than the idle timeout, and longer by more than the buffers of the sockets last. */
    private static final int TICKS = 10 + IDLE_MILLIS / TICK_MILLIS;

    private static final int TICK_BYTES = 300_000;

    @Test
    void isNotIdleWhileThePeerTakesSomething() throws Exception {
        byte[] bytes = new byte[TICKS * TICK_BYTES];
        new Random(3).nextBytes(bytes);
        AtOnce.on(Connectors.all(), connectors -> assertWrites(bytes, connectors));
    }

    private static void assertWrites(byte[] bytes, Connectors connectors) throws Exception {
        PassiveProtocol protocol = new PassiveProtocol();
        try (TestServer server = new TestServer(s -> connectors.on(s, protocol)).start(null);
                RawClient client = server.client()) {
            EndPoint endPoint = protocol.awaitOpened().getEndPoint();
            endPoint.setIdleTimeout(IDLE_MILLIS);
            // Linux tells of room when a third of the buffer is free: of one that has grown, that may take seconds.
            ((SocketChannel) endPoint.getTransport()).setOption(StandardSocketOptions.SO_SNDBUF, 128 * 1024);
            client.socket().setReceiveBufferSize(64 * 1024);
            Callback.Completable written = new Callback.Completable();
            endPoint.write(
                    written, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
            assertArrayEquals(bytes, take(client, bytes.length));
            written.get(30, TimeUnit.SECONDS);
            endPoint.close();
        }
    }

    private static byte[] take(RawClient client, int length) throws Exception {
        ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
        byte[] taken = new byte[length];
        AtomicInteger count = new AtomicInteger();
        CompletableFuture<Void> all = new CompletableFuture<>();
        var unused = pace.scheduleAtFixedRate(
                () -> {
                    try {
                        assertEquals(TICK_BYTES, client.in().readNBytes(taken, count.get(), TICK_BYTES));
                        if (count.addAndGet(TICK_BYTES) == length) {
                            all.complete(null);
                        }
                    } catch (IOException | AssertionError x) {
                        all.completeExceptionally(x);
                    }
                },
                0,
                TICK_MILLIS,
                TimeUnit.MILLISECONDS);
        try {
            all.get(50, TimeUnit.SECONDS);
        } finally {
            pace.shutdownNow();
        }
        return taken;
    }
}
