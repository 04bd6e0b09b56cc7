package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.EndPoint;
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

    private final PassiveProtocol protocol = new PassiveProtocol();
    private TestServer server;
    private RawClient client;
    private PassiveProtocol.Passive connection;
    private EndPoint endPoint;

    /** Sends back what it reads, and asks for more from the thread that reads or from another one, in turn. */
    private static final class Echo extends PassiveProtocol.PassiveConnection {
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

    private static final class EchoProtocol extends PassiveProtocol {
        @Override
        Passive newPassive(Connector connector, EndPoint accepted) {
            return new Echo(accepted, connector);
        }
    }

    @BeforeEach
    void connect() throws Exception {
        server = new TestServer(s -> connectors.on(s, protocol));
        server.start(null);
        client = server.client();
        connection = protocol.awaitOpened();
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
        fillable().get(30, TimeUnit.SECONDS);
    }

    private CompletableFuture<Void> write(ByteBuffer... buffers) {
        Callback.Completable callback = new Callback.Completable();
        endPoint.write(callback, buffers);
        return callback;
    }

    private static Throwable failure(CompletableFuture<Void> callback) {
        return assertThrows(ExecutionException.class, () -> callback.get(30, TimeUnit.SECONDS))
                .getCause();
    }

    @Test
    void fillsBehindWhatIsThereAndNeverWaits() throws Exception {
        ByteBuffer buffer = BufferUtil.allocate(16);
        BufferUtil.append(buffer, "xy".getBytes(StandardCharsets.UTF_8));
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
    @Timeout(60)
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
        write(BufferUtil.toBuffer("late")).get(30, TimeUnit.SECONDS);
        assertArrayEquals("late".getBytes(StandardCharsets.UTF_8), client.in().readNBytes(4));
    }

    @Test
    void takesAResetForTheEnd() throws Exception {
        client.socket().setSoLinger(true, 0);
        CompletableFuture<Void> fillable = fillable();
        client.close();
        fillable.get(30, TimeUnit.SECONDS);
        assertEquals(-1, endPoint.fill(BufferUtil.allocate(16)));
        assertTrue(endPoint.isInputShutdown());
    }

    @Test
    void failsWhoAsksForMoreAfterTheEnd() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty's end point leaves such a reader waiting");
        endPoint.close();
        assertInstanceOf(ClosedChannelException.class, failure(fillable()));
    }

    @Test
    void wakesReaderAndWriterWhenItIsClosed() throws Exception {
        CompletableFuture<Void> fillable = fillable();
        CompletableFuture<Void> written = write(ByteBuffer.allocate(64_000_000));
        client.in().readNBytes(1000);
        endPoint.close();
        endPoint.close();
        assertInstanceOf(IOException.class, failure(written));
        Throwable failed = fillable.handle((done, cause) -> cause).get(30, TimeUnit.SECONDS);
        if (failed == null) {
            // Woken by the end of the channel, before it was told.
            assertEquals(-1, endPoint.fill(BufferUtil.allocate(16)));
        }
        server.awaitNoEndPoints();
        Await.until("told", () -> server.events().closed() == 1);
        assertEquals(1, connection.closed());
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
        PassiveProtocol.Passive next = protocol.newPassive(server.connector(), endPoint);
        endPoint.upgrade(next);
        assertEquals(next, endPoint.getConnection());
        BufferUtil.clear(buffer);
        assertEquals(3, endPoint.fill(buffer));
        assertEquals("def", BufferUtil.toString(buffer));
        assertEquals(1, connection.closed());
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
    void hasNoMoreThanOneThreadWait() throws Exception {
        for (int i = 0; i < 100; i++) {
            client.send("x");
            awaitFillable();
            assertEquals(1, fill());
        }
        var unused = fillable();
        if (server.connector() instanceof BioConnector bio) {
            Await.until("one waits", () -> bio.getConnectorStatistics().getThreadsInRead() == 1);
            Await.until("those that handed over go", () -> bio.getConnectionThreadCount() == 1);
        }
    }

    /** A thread that reads on by itself takes a stack, and memory for what it has read, of each connection that nobody asks. */
    @Test
    void leavesWhereItIsWhatNobodyAskedFor() throws Exception {
        awaitNoThread();
        byte[] bytes = new byte[5000];
        Arrays.fill(bytes, (byte) 'x');
        client.send(bytes);
        InputStream socket = ((SocketChannel) endPoint.getTransport()).socket().getInputStream();
        Await.until("all has come", () -> available(socket) == bytes.length, () -> "but " + available(socket));
        awaitNoThread();
        assertEquals(bytes.length, available(socket));
        int filled = 0;
        while (filled < bytes.length) {
            awaitFillable();
            for (int more = fill(); more > 0; more = fill()) {
                filled += more;
            }
        }
        awaitNoThread();
    }

    private void awaitNoThread() {
        if (server.connector() instanceof BioConnector bio) {
            Await.until(
                    "no thread",
                    () -> bio.getConnectionThreadCount() == 0,
                    () -> "but " + bio.getConnectionThreadCount());
            assertEquals(0, bio.getConnectorStatistics().getThreadsInRead());
        }
    }

    private static int available(InputStream socket) {
        try {
            return socket.available();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @Test
    void losesNoInterestWhicheverThreadHasIt() throws Exception {
        try (TestServer echo = new TestServer(s -> connectors.on(s, new EchoProtocol()))) {
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
