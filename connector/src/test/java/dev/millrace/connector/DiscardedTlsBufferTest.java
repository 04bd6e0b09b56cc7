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
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.BufferUtil;
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
            awaitOpen(free);
        });
        assertTrue(held.await(30, TimeUnit.SECONDS), "the selector's thread is held");
    }

    /** The thread has let go of TLS's lock, and what writes below does not know of it yet. */
    @Test
    void isNotGivenBackWhileAThreadIsAboutToWriteFromIt() throws Exception {
        Held held = new Held();
        serve(Connectors.NIO, held, (connector, decrypted, client) -> {
            Callback.Completable written = new Callback.Completable();
            new Thread(() -> decrypted.write(written, ByteBuffer.allocate(32_000_000))).start();
            assertTrue(held.isHeld.await(30, TimeUnit.SECONDS), "about to write");
            pool.channel = socket(decrypted).getChannel();
            long before;
            do {
                before = decrypted.getSslConnection().getBytesOut();
                makeRoom(decrypted, client);
                decrypted.flush(BufferUtil.EMPTY_BUFFER);
            } while (decrypted.getSslConnection().getBytesOut() != before);
            assertEquals(0, pool.early.get(), "while a thread is about to write");
            held.release.countDown();
            client.close();
            written.handle((done, cause) -> cause).get(30, TimeUnit.SECONDS);
        });
    }

    /** Makes connections of TLS whose writes in the background wait before they begin. */
    private static final class Held extends AbstractConnectionFactory {
        private final CountDownLatch isHeld = new CountDownLatch(1);
        private final CountDownLatch release = new CountDownLatch(1);

        private Held() {
            super("held");
        }

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            EndPoint held =
                    new ProxyConnectionFactory.ProxyEndPoint(
                            endPoint, endPoint.getLocalSocketAddress(), endPoint.getRemoteSocketAddress()) {
                        @Override
                        public void write(Callback callback, ByteBuffer... buffers) {
                            if (BufferUtil.hasContent(buffers[0])) {
                                isHeld.countDown();
                                awaitOpen(release);
                            }
                            super.write(callback, buffers);
                        }
                    };
            return connector.getConnectionFactory(TlsConnectionFactory.class).newConnection(connector, held);
        }
    }

    private static void awaitOpen(CountDownLatch latch) {
        try {
            latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    private static SocketChannelEndPoint socket(SslConnection.SslEndPoint decrypted) {
        return (SocketChannelEndPoint) MillraceEndPoint.socket(decrypted);
    }

    private static void makeRoom(SslConnection.SslEndPoint decrypted, RawClient client) throws Exception {
        SocketChannel channel = socket(decrypted).getChannel();
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
        serve(kind, null, (connector, decrypted, client) -> {
            SocketChannelEndPoint encrypted = socket(decrypted);
            Callback.Completable written = new Callback.Completable();
            decrypted.write(written, ByteBuffer.allocate(32_000_000));
            // A write may also make no progress because its thread has yet to begin.
            Await.until(
                    "nothing taken any more",
                    () -> EndPoints.isWritePending(encrypted) && encrypted.getIdleFor() > 200);
            pool.channel = encrypted.getChannel();
            end.of(connector, decrypted, client);
            written.handle((done, cause) -> cause).get(30, TimeUnit.SECONDS);
        });
        assertEquals(0, pool.early.get(), "while the channel was open");
    }

    private void serve(Connectors kind, Held first, End end) throws Exception {
        Tls tls = new Tls();
        Server server = new Server(new QueuedThreadPool(), null, pool);
        // One record at a time: the rest of many is in memory of its own.
        TlsConnectionFactory ssl = new TlsConnectionFactory(tls.server(), "http/1.1", new TlsMemory(0));
        ServerConnector connector = kind.on(server, ssl, new HttpConnectionFactory());
        if (first != null) {
            connector.addFirstConnectionFactory(first);
        }
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(held);
        server.start();
        try (RawClient client = tls.connect(connector.getLocalPort()).get("/")) {
            end.of(connector, endPoint.get(30, TimeUnit.SECONDS), client);
            callback.get().failed(new IOException("the connection is gone"));
            Await.until("given back", () -> pool.late.get() > 0 || pool.early.get() > 0);
        } finally {
            if (first != null) {
                first.release.countDown();
            }
            server.stop();
        }
    }
}
