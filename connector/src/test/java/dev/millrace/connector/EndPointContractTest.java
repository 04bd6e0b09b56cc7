package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a protocol may expect of an end point, by a protocol that does only what the test tells it. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class EndPointContractTest {
    private static final int ROUND_TRIPS = 1500;
    private static final int FILLS_AT_ONCE = 1000;

    @Parameter
    Connectors connectors;

    private final BlockingQueue<Passive> opened = new LinkedBlockingQueue<>();
    private TestServer server;
    private RawClient client;
    private Passive connection;
    private EndPoint endPoint;

    /** Does nothing by itself. */
    private class Passive extends AbstractConnection implements Connection.UpgradeFrom {
        private final AtomicInteger closed = new AtomicInteger();

        private Passive(EndPoint endPoint, Connector connector) {
            super(endPoint, connector.getExecutor());
        }

        @Override
        public void onOpen() {
            super.onOpen();
            opened.add(this);
        }

        @Override
        public void onClose(Throwable cause) {
            closed.incrementAndGet();
            super.onClose(cause);
        }

        @Override
        public void onFillable() {
            // The test asks the end point itself.
        }

        @Override
        public ByteBuffer onUpgradeFrom() {
            return null;
        }
    }

    /** Sends back what it reads, and asks for more from the thread that reads or from another one, in turn. */
    private final class Echo extends Passive {
        private int fills;

        private Echo(EndPoint endPoint, Connector connector) {
            super(endPoint, connector);
        }

        @Override
        public void onOpen() {
            super.onOpen();
            fillInterested();
        }

        @Override
        public void onFillable() {
            try {
                ByteBuffer buffer = BufferUtil.allocate(64);
                int filled = getEndPoint().fill(buffer);
                if (filled < 0) {
                    close();
                } else if (filled == 0) {
                    fillInterested();
                } else {
                    getEndPoint().write(Callback.from(this::goOn, failure -> close()), buffer);
                }
            } catch (IOException x) {
                close();
            }
        }

        private void goOn() {
            if (++fills % 2 == 0) {
                fillInterested();
            } else {
                getExecutor().execute(this::fillInterested);
            }
        }
    }

    private TestServer server(boolean echo) {
        return new TestServer(s -> connectors.on(s, new AbstractConnectionFactory("test") {
            @Override
            public Connection newConnection(Connector connector, EndPoint accepted) {
                Connection made = echo ? new Echo(accepted, connector) : new Passive(accepted, connector);
                return configure((Passive) made, connector, accepted);
            }
        }));
    }

    @BeforeEach
    void connect() throws Exception {
        server = server(false);
        server.start(null);
        client = server.client();
        connection = opened.poll(10, TimeUnit.SECONDS);
        endPoint = connection.getEndPoint();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        endPoint.close();
        server.close();
    }

    private CompletableFuture<Void> fillable() {
        Callback.Completable callback = new Callback.Completable();
        endPoint.fillInterested(callback);
        return callback;
    }

    private void awaitFillable() throws Exception {
        fillable().get(10, TimeUnit.SECONDS);
    }

    private CompletableFuture<Void> write(ByteBuffer... buffers) {
        Callback.Completable callback = new Callback.Completable();
        endPoint.write(callback, buffers);
        return callback;
    }

    private static Throwable failure(CompletableFuture<Void> callback) {
        return assertThrows(ExecutionException.class, () -> callback.get(10, TimeUnit.SECONDS)).getCause();
    }

    @Test
    void fillsBehindWhatIsThereAndNeverWaits() throws Exception {
        ByteBuffer buffer = BufferUtil.allocate(16);
        BufferUtil.append(buffer, "xy".getBytes());
        client.send("abcdef");
        awaitFillable();
        assertEquals(6, endPoint.fill(buffer));
        assertEquals(0, endPoint.fill(buffer));
        assertEquals("xyabcdef", BufferUtil.toString(buffer));
        client.send("0123456789");
        awaitFillable();
        assertEquals(8, endPoint.fill(buffer));
        assertEquals(0, endPoint.fill(buffer));
        assertEquals(2, endPoint.fill(BufferUtil.allocate(16)));
    }

    @Test
    @Timeout(20)
    void neverWaitsWhenTwoFillAtOnce() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        AtomicInteger bytes = new AtomicInteger();
        Thread second = new Thread(() -> {
            for (int i = 1; i <= FILLS_AT_ONCE; i++) {
                while (begun.get() < i) {
                    Thread.onSpinWait();
                }
                bytes.addAndGet(fill());
                ended.incrementAndGet();
            }
        });
        second.start();
        try {
            for (int i = 1; i <= FILLS_AT_ONCE; i++) {
                client.send(new byte[1]);
                begun.set(i);
                bytes.addAndGet(fill());
                int now = i;
                Await.until("the other has filled", () -> ended.get() == now);
                while (bytes.get() < i) {
                    bytes.addAndGet(fill());
                }
            }
        } finally {
            begun.set(FILLS_AT_ONCE);
        }
        second.join();
        assertEquals(FILLS_AT_ONCE, bytes.get());
    }

    private int fill() {
        try {
            return endPoint.fill(BufferUtil.allocate(16));
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @Test
    void tellsOfTheEndAgainAndAgainAfterTheDataBeforeIt() throws Exception {
        client.send("last").shutdownOutput();
        awaitFillable();
        ByteBuffer buffer = BufferUtil.allocate(16);
        assertEquals(4, endPoint.fill(buffer));
        awaitFillable();
        assertEquals(-1, endPoint.fill(buffer));
        assertEquals(-1, endPoint.fill(buffer));
        assertTrue(endPoint.isInputShutdown());
        write(BufferUtil.toBuffer("late")).get(10, TimeUnit.SECONDS);
        assertArrayEquals("late".getBytes(), client.in().readNBytes(4));
    }

    @Test
    void takesAResetForTheEnd() throws Exception {
        client.socket().setSoLinger(true, 0);
        CompletableFuture<Void> fillable = fillable();
        client.close();
        fillable.get(10, TimeUnit.SECONDS);
        assertEquals(-1, endPoint.fill(BufferUtil.allocate(16)));
    }

    @Test
    void writesBuffersOfAllKindsInOrder() throws Exception {
        ByteBuffer direct = ByteBuffer.allocateDirect(3).put("def".getBytes()).flip();
        ByteBuffer readOnly = BufferUtil.toBuffer("ghi").asReadOnlyBuffer();
        write(BufferUtil.toBuffer("abc"), BufferUtil.EMPTY_BUFFER, direct, readOnly).get(10, TimeUnit.SECONDS);
        assertFalse(direct.hasRemaining());
        assertArrayEquals("abcdefghi".getBytes(), client.in().readNBytes(9));
    }

    @Test
    void failsAWriteToAPeerThatIsGone() throws Exception {
        client.socket().setSoLinger(true, 0);
        client.close();
        Throwable failure = null;
        while (failure == null) {
            // The first one may get lost in the system's buffer.
            failure = write(ByteBuffer.allocate(1_000_000)).handle((done, cause) -> cause).get(10, TimeUnit.SECONDS);
        }
        assertInstanceOf(IOException.class, failure);
    }

    @Test
    void isNotIdleWhileThePeerTakesSomething() throws Exception {
        endPoint.setIdleTimeout(1500);
        // Linux tells of room when a third of the buffer is free: of one that has grown, that may take seconds.
        ((SocketChannel) endPoint.getTransport()).setOption(StandardSocketOptions.SO_SNDBUF, 128 * 1024);
        client.socket().setReceiveBufferSize(64 * 1024);
        byte[] bytes = new byte[12_000_000];
        new Random(3).nextBytes(bytes);
        CompletableFuture<Void> written = write(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
        ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
        byte[] taken = new byte[bytes.length];
        AtomicInteger count = new AtomicInteger();
        CompletableFuture<Void> all = new CompletableFuture<>();
        pace.scheduleAtFixedRate(() -> {
            try {
                int next = count.get();
                int wanted = Math.min(bytes.length / 30, bytes.length - next);
                assertEquals(wanted, client.in().readNBytes(taken, next, wanted));
                if (count.addAndGet(wanted) == bytes.length) {
                    all.complete(null);
                }
            } catch (IOException | AssertionError x) {
                all.completeExceptionally(x);
            }
        }, 0, 100, TimeUnit.MILLISECONDS);
        all.get(30, TimeUnit.SECONDS);
        pace.shutdownNow();
        assertArrayEquals(bytes, taken);
        written.get(10, TimeUnit.SECONDS);
    }

    @Test
    void failsWhoAsksForMoreAfterTheEnd() throws Exception {
        endPoint.close();
        if (!(endPoint instanceof BioEndPoint)) {
            // A selector tells nobody of what it does not have.
            assertFalse(fillable().isDone());
            return;
        }
        assertInstanceOf(IOException.class, failure(fillable()));
    }

    @Test
    void wakesReaderAndWriterWhenItIsClosed() throws Exception {
        CompletableFuture<Void> fillable = fillable();
        CompletableFuture<Void> written = write(ByteBuffer.allocate(64_000_000));
        client.in().readNBytes(1000);
        endPoint.close();
        endPoint.close();
        assertInstanceOf(IOException.class, failure(written));
        Throwable failed = fillable.handle((done, cause) -> cause).get(10, TimeUnit.SECONDS);
        if (failed == null) {
            // Woken by the end of the channel, before it was told.
            assertEquals(-1, endPoint.fill(BufferUtil.allocate(16)));
        }
        server.awaitNoEndPoints();
        Await.until("told", () -> server.events().closed() == 1);
        assertEquals(1, connection.closed.get());
    }

    @Test
    void readsOnAfterItHasEndedItsOutput() throws Exception {
        endPoint.shutdownOutput();
        assertEquals(-1, client.read());
        client.send("more");
        awaitFillable();
        ByteBuffer buffer = BufferUtil.allocate(16);
        assertEquals(4, endPoint.fill(buffer));
        assertEquals("more", BufferUtil.toString(buffer));
    }

    @Test
    void keepsWhatWasNotReadForTheNextProtocol() throws Exception {
        client.send("abcdef");
        awaitFillable();
        ByteBuffer buffer = BufferUtil.allocate(3);
        assertEquals(3, endPoint.fill(buffer));
        Passive next = new Passive(endPoint, server.connector());
        endPoint.upgrade(next);
        assertEquals(next, endPoint.getConnection());
        BufferUtil.clear(buffer);
        assertEquals(3, endPoint.fill(buffer));
        assertEquals("def", BufferUtil.toString(buffer));
        assertEquals(1, connection.closed.get());
    }

    @Test
    void showsItsChannelAndAddresses() throws Exception {
        SocketChannel channel = assertInstanceOf(SocketChannel.class, endPoint.getTransport());
        assertEquals(channel.getLocalAddress(), endPoint.getLocalSocketAddress());
        assertEquals(client.socket().getLocalSocketAddress(), endPoint.getRemoteSocketAddress());
        assertTrue(endPoint.isOpen() && channel.isOpen());
        endPoint.close();
        assertFalse(endPoint.isOpen() || channel.isOpen());
    }

    @Test
    void losesNoInterestWhicheverThreadHasIt() throws Exception {
        try (TestServer echo = server(true)) {
            echo.start(null);
            CompletableFuture<?>[] peers = new CompletableFuture<?>[3];
            for (int i = 0; i < peers.length; i++) {
                peers[i] = CompletableFuture.runAsync(() -> pingPong(echo), task -> new Thread(task).start());
            }
            CompletableFuture.allOf(peers).get(50, TimeUnit.SECONDS);
        }
    }

    private static void pingPong(TestServer echo) {
        try (RawClient peer = echo.client()) {
            for (int i = 0; i < ROUND_TRIPS; i++) {
                peer.send(new byte[] {(byte) i});
                assertEquals(i & 0xff, peer.read());
            }
        } catch (Exception x) {
            throw new IllegalStateException(x);
        }
    }
}
