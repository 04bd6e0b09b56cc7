package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.security.GeneralSecurityException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection of TLS that its own thread closes while another thread writes: the peer must not get that thread's record twice. */
@Timeout(60)
class CloseDuringWriteTest {
    private final CompletableFuture<AbstractEndPoint> encrypted = new CompletableFuture<>();
    private final Handler closing = Handlers.of((request, response, callback) -> {
        // While content is left to read, this is written by another thread.
        response.write(false, ByteBuffer.allocate(32_000_000), Callback.NOOP);
        SslConnection.SslEndPoint decrypted = (SslConnection.SslEndPoint) EndPoints.of(request);
        encrypted.complete((AbstractEndPoint) decrypted.getSslConnection().getEndPoint());
        Content.Source.asByteBuffer(request);
        decrypted.close();
        callback.failed(new IOException("enough"));
    });
    private final AtomicInteger writers = new AtomicInteger();
    private final CountDownLatch second = new CountDownLatch(1);
    private final CountDownLatch secondDone = new CountDownLatch(1);

    // The thread that wrote first goes on when the second has written, as may happen on any busy machine.
    private ContentWriter watched(ByteBufferPool pool) {
        return (channel, buffers, from, to, mostBytes) -> {
            boolean isSecond = writers.incrementAndGet() > 1;
            try {
                if (isSecond) {
                    second.countDown();
                }
                return write(isSecond, channel, buffers, from, to, mostBytes);
            } finally {
                writers.decrementAndGet();
                if (isSecond) {
                    secondDone.countDown();
                }
            }
        };
    }

    private long write(
            boolean isSecond, GatheringByteChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        long written = GatherWriter.INSTANCE.write(channel, buffers, from, to, mostBytes);
        if (!isSecond && second.getCount() == 0) {
            try {
                secondDone.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
            }
        }
        return written;
    }

    @Test
    void sendsNoRecordTwice() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> Connectors.BIO_PLATFORM.https(s, tls));
        server.millrace().setContentWriterFactory(this::watched);
        try (server;
                RawClient client = tls.connect(server.start(closing).port())) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n1");
            AbstractEndPoint endPoint = encrypted.get(30, TimeUnit.SECONDS);
            Await.until("nothing taken any more", () -> endPoint.getIdleFor() > 200);
            client.send("2");
            Await.until("the close", () -> second.getCount() == 0 || !endPoint.isOpen());
            for (Throwable end = readToTheEnd(client); end != null; end = end.getCause()) {
                assertFalse(end instanceof GeneralSecurityException, "bad record: " + end);
            }
            assertEquals(1, second.getCount(), "two wrote at once");
            server.awaitNoEndPoints();
        }
    }

    private static IOException readToTheEnd(RawClient client) {
        byte[] bytes = new byte[64 * 1024];
        try {
            while (client.in().read(bytes) >= 0) {
                // What came before the end.
            }
            return null;
        } catch (IOException x) {
            return x;
        }
    }
}
