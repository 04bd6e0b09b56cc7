package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * While TLS writes, a thread that reads may write from the same buffer, for Jetty leaves what a socket did not take to either. The writer of
 * the connection has one of them at a time. One that copies would send the same bytes twice.
 */
@Timeout(60)
class SharedTlsWriteTest {
    // One record: nothing else is encrypted into the buffer while the other thread has it.
    private static final byte[] CONTENT = RandomBytes.of(10_000);

    private final AtomicReference<EndPoint> encrypted = new AtomicReference<>();
    private final AtomicReference<Thread> second = new AtomicReference<>();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger mostInside = new AtomicInteger();

    /** Copies before it writes. What is copied first waits for another thread with the same buffer. */
    private long write(GatheringByteChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
        try {
            ByteBuffer buffer = buffers[from];
            ByteBuffer copy = ByteBuffer.allocate(Math.min(buffer.remaining(), mostBytes));
            copy.put(buffer.duplicate().limit(buffer.position() + copy.capacity()))
                    .flip();
            EndPoint endPoint = encrypted.getAndSet(null);
            if (endPoint != null) {
                haveWritten(endPoint, buffer);
            }
            int written = channel.write(copy);
            buffer.position(Math.min(buffer.limit(), buffer.position() + written));
            return written;
        } finally {
            inside.decrementAndGet();
        }
    }

    // As Jetty's SslConnection.needsFillInterest does, when it has let go of its lock.
    private void haveWritten(EndPoint endPoint, ByteBuffer buffer) {
        Thread reader = new Thread(() -> {
            try {
                endPoint.flush(buffer);
            } catch (IOException x) {
                throw new IllegalStateException(x);
            }
        });
        reader.start();
        second.set(reader);
        Await.until(
                "the other one is done, or waits",
                () -> reader.getState() == Thread.State.BLOCKED || reader.getState() == Thread.State.TERMINATED);
    }

    @Test
    void hasOneThreadInTheWriterAtATime() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> Connectors.NIO.https(s, tls));
        server.millrace().setContentWriterFactory(pool -> this::write);
        server.start(Handlers.of((request, response, callback) -> {
            encrypted.set(((SslConnection.SslEndPoint) EndPoints.of(request)).unwrap());
            response.write(true, ByteBuffer.wrap(CONTENT), callback);
        }));
        try (server;
                RawClient client = tls.connect(server.port()).get("/")) {
            byte[] body = client.answer().body();
            second.get().join();
            assertEquals(1, mostInside.get(), "threads in the writer");
            assertArrayEquals(CONTENT, body);
        }
    }
}
