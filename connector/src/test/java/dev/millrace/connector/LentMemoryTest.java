package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.FileSource;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Whoever gives up a write lets others have its memory: no thread writes from it any more then, nor moves its buffers. */
@ParameterizedClass
@MethodSource("blocking")
@Timeout(60)
class LentMemoryTest {
    /** More than the sockets of both sides take. */
    private static final int UNREAD_BYTES = 32 << 20;

    @Parameter
    Connectors connectors;

    private final PassiveProtocol protocol = new PassiveProtocol();
    private final AtomicInteger writes = new AtomicInteger();
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean inside;
    private volatile boolean wasInside;
    private TestServer server;
    private RawClient client;
    private EndPoint endPoint;

    static Stream<Connectors> blocking() {
        return Connectors.ours().filter(c -> c == Connectors.BIO_PLATFORM || c == Connectors.BIO_VIRTUAL);
    }

    @BeforeEach
    void connect() throws Exception {
        server = new TestServer(s -> connectors.on(s, protocol));
        server.millrace().setContentWriterFactory(this::held);
        server.start(null);
        client = server.client();
        endPoint = protocol.awaitOpened().getEndPoint();
    }

    @AfterEach
    void close() throws Exception {
        released.countDown();
        client.close();
        endPoint.close();
        server.close();
    }

    // A thread of the connector's waits until the socket has taken what it did not take at once. It stays, as it may on
    // any busy machine, between the end of the system's call and what follows it.
    private ContentWriter held(ByteBufferPool pool) {
        return (channel, buffers, from, to, mostBytes) -> {
            if (!((SocketChannel) channel).isBlocking()) {
                return GatherWriter.INSTANCE.write(channel, buffers, from, to, mostBytes);
            }
            writes.incrementAndGet();
            inside = true;
            entered.countDown();
            try {
                return GatherWriter.INSTANCE.write(channel, buffers, from, to, mostBytes);
            } finally {
                held.countDown();
                await(released);
                inside = false;
            }
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS));
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isWaiting(Thread canceller) {
        return Arrays.stream(canceller.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("until"));
    }

    @Test
    void isGivenBackWhenNoThreadIsInsideTheWrite() throws Exception {
        Callback.Completable written = new Callback.Completable();
        endPoint.write(written, ByteBuffer.allocateDirect(UNREAD_BYTES));
        await(entered);
        Thread canceller = new Thread(() -> {
            assertNull(endPoint.cancelWrite(new IOException("expected by the test")));
            wasInside = inside;
        });
        canceller.start();
        await(held);
        Await.until("waits, or is over", () -> !canceller.isAlive() || isWaiting(canceller));
        released.countDown();
        canceller.join();
        assertFalse(wasInside, "given up while a thread was inside the write");
        assertFalse(endPoint.isOpen());
    }

    /** Sends what it was asked for, when it is let go: a disk may take its time. */
    private final class SlowDisk implements FileSource {
        @Override
        public FileChannel channel() throws IOException {
            throw new IOException("not opened by the test");
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) {
            inside = true;
            entered.countDown();
            LentMemoryTest.await(released);
            inside = false;
            return count;
        }
    }

    @Test
    void isNotWaitedForWhileAFileIsSent() throws Exception {
        FileRegion region = new FileRegion(new SlowDisk(), 0, ByteBuffer.allocate(100), null, false, null);
        ((TransferEndPoint) endPoint).announce(region);
        Callback.Completable written = new Callback.Completable();
        endPoint.write(written, region.token(), BufferUtil.toBuffer("behind the file"));
        await(entered);
        assertNull(endPoint.cancelWrite(new IOException("expected by the test")));
        assertTrue(inside);
        released.countDown();
        written.handle((done, cause) -> cause).get(30, TimeUnit.SECONDS);
        assertEquals(0, writes.get(), "wrote from memory that was given back");
        ((TransferEndPoint) endPoint).withdraw(region);
    }
}
