package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * When TLS gives up a write, another thread may be about to write from its buffer. As long as the channel is open, no
 * other connection may have that buffer: this one's peer would get its bytes. On BIO a close does not write past that thread, on NIO it does.
 */
@Timeout(60)
class DiscardedTlsBufferTest {
    private final Watching pool = new Watching();
    private final CompletableFuture<SslConnection.SslEndPoint> endPoint = new CompletableFuture<>();
    private final CompletableFuture<Callback> callback = new CompletableFuture<>();

    /** Counts what is given back from some time on, while a channel is open and afterwards. */
    private static final class Watching extends ByteBufferPool.NonPooling {
        private final AtomicInteger early = new AtomicInteger();
        private final AtomicInteger late = new AtomicInteger();
        private volatile SocketChannel channel;

        @Override
        public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
            ByteBuffer buffer = (direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size)).limit(0);
            return RetainableByteBuffer.wrap(buffer, this::givenBack);
        }

        private void givenBack() {
            SocketChannel watched = channel;
            if (watched != null) {
                (watched.isOpen() ? early : late).incrementAndGet();
            }
        }
    }

    private final Handler held = Handlers.of((request, response, completion) -> {
        callback.complete(completion);
        endPoint.complete((SslConnection.SslEndPoint) EndPoints.of(request));
    });

    @Test
    void isGivenBackWhenTheChannelIsClosed() throws Exception {
        assertGivenBackAfter(Connectors.BIO_PLATFORM, (connector, decrypted, client) -> decrypted.close());
    }

    /** The closing thread finds room, and writes what the selector's thread has yet to write. */
    @Test
    void isGivenBackWhenTheChannelIsClosedThoughItIsEmpty() throws Exception {
        CountDownLatch free = new CountDownLatch(1);
        try {
            assertGivenBackAfter(Connectors.NIO, (connector, decrypted, client) -> {
                holdSelector(connector, free);
                makeRoom(decrypted, client);
                long before = decrypted.getSslConnection().getBytesOut();
                decrypted.close();
                assertNotEquals(before, decrypted.getSslConnection().getBytesOut(), "written by the closing thread");
                free.countDown();
            });
        } finally {
            free.countDown();
        }
    }

    private static void holdSelector(ServerConnector connector, CountDownLatch free) throws Exception {
        CountDownLatch held = new CountDownLatch(1);
        connector.getContainedBeans(ManagedSelector.class).iterator().next().submit(selector -> {
            held.countDown();
            try {
                free.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
            }
        });
        assertTrue(held.await(30, TimeUnit.SECONDS), "the selector's thread is held");
    }

    private static void makeRoom(SslConnection.SslEndPoint decrypted, RawClient client) throws Exception {
        SocketChannel channel = ((SocketChannelEndPoint) decrypted.unwrap()).getChannel();
        try (Selector own = Selector.open()) {
            channel.register(own, SelectionKey.OP_WRITE);
            while (own.selectNow() == 0) {
                assertNotEquals(-1, client.in().read(new byte[16_000]));
            }
        }
    }

    private interface End {
        void of(ServerConnector connector, SslConnection.SslEndPoint decrypted, RawClient client) throws Exception;
    }

    private void assertGivenBackAfter(Connectors kind, End end) throws Exception {
        Tls tls = new Tls();
        Server server = new Server(new QueuedThreadPool(), null, pool);
        // One record at a time: the rest of many is in memory of its own.
        TlsConnectionFactory ssl = new TlsConnectionFactory(tls.server(), "http/1.1", new TlsMemory(0));
        ServerConnector connector = kind.on(server, ssl, new HttpConnectionFactory());
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(held);
        server.start();
        try (RawClient client = tls.connect(connector.getLocalPort()).get("/")) {
            SslConnection.SslEndPoint decrypted = endPoint.get(30, TimeUnit.SECONDS);
            SocketChannelEndPoint encrypted = (SocketChannelEndPoint) decrypted.unwrap();
            Callback.Completable written = new Callback.Completable();
            decrypted.write(written, ByteBuffer.allocate(32_000_000));
            Await.until("nothing taken any more", () -> encrypted.getIdleFor() > 200);
            pool.channel = encrypted.getChannel();
            end.of(connector, decrypted, client);
            written.handle((done, cause) -> cause).get(30, TimeUnit.SECONDS);
            callback.get().failed(new IOException("the connection is gone"));
            Await.until("given back", () -> pool.late.get() > 0 || pool.early.get() > 0);
        } finally {
            server.stop();
        }
        assertEquals(0, pool.early.get(), "while the channel was open");
    }
}
