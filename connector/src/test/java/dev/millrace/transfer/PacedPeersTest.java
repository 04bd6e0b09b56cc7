package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.PassiveProtocol;
import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What lasts for longer than the idle timeout, by the pace of its peer: none of it is idle. All at once, for it waits. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class PacedPeersTest {
    private static final int IDLE_MILLIS = 10_000;
    private static final int WRITE_TICK_MILLIS = 300;
    /** They take longer than the idle timeout, and longer by more than the buffers of the sockets last. */
    private static final int WRITE_TICKS = 10 + IDLE_MILLIS / WRITE_TICK_MILLIS;

    private static final int WRITE_TICK_BYTES = 300_000;
    private static final int FILE_BYTES = 3_000_001;
    private static final int GAP_MILLIS = 700;
    private static final int PIECES = 3 + IDLE_MILLIS / GAP_MILLIS;
    private static final int LONG_MILLIS = 30_000;

    @TempDir
    Path directory;

    @Test
    void aWriteIsNotIdleWhileThePeerTakesSomething() throws Exception {
        byte[] bytes = RandomBytes.of(WRITE_TICKS * WRITE_TICK_BYTES);
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
                        assertEquals(WRITE_TICK_BYTES, client.in().readNBytes(taken, count.get(), WRITE_TICK_BYTES));
                        if (count.addAndGet(WRITE_TICK_BYTES) == length) {
                            all.complete(null);
                        }
                    } catch (IOException | AssertionError x) {
                        all.completeExceptionally(x);
                    }
                },
                0,
                WRITE_TICK_MILLIS,
                TimeUnit.MILLISECONDS);
        try {
            all.get(50, TimeUnit.SECONDS);
        } finally {
            pace.shutdownNow();
        }
        return taken;
    }

    @Test
    void aTransferIsNotIdleWhileTheClientTakesSomething() throws Exception {
        TestFiles.write(directory, "file.bin", FILE_BYTES);
        AtOnce.on(Connectors.senders(), this::assertSends);
    }

    /** By all algorithms at once. */
    private void assertSends(Connectors connectors) throws Exception {
        SendfileHandler files = Handlers.files(directory);
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        MillraceConnector millrace = server.millrace();
        millrace.setWorkers(50);
        // The test may be slow to read.
        millrace.setMinResponseBytesPerSecond(0);
        try (server) {
            server.start(files);
            List<Download> downloads = new ArrayList<>();
            for (String algorithm : TransferContractTest.algorithms()) {
                millrace.setAlgorithm(algorithm);
                downloads.add(new Download(server.port(), "/file.bin", 8192).head());
            }
            // Not before: a busy machine may take as long to begin.
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(IDLE_MILLIS));
            takeForLongerThanTheTimeout(downloads);
            for (Download download : downloads) {
                assertEquals(FILE_BYTES, download.readAll(65536).received());
                download.close();
            }
        }
    }

    private static void takeForLongerThanTheTimeout(List<Download> downloads) throws Exception {
        ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
        try {
            long begin = System.nanoTime();
            for (int tick = 1; tick <= 25; tick++) {
                pace.schedule(
                                () -> {
                                    for (Download download : downloads) {
                                        assertEquals(60_000, download.read(60_000));
                                    }
                                    return null;
                                },
                                420,
                                TimeUnit.MILLISECONDS)
                        .get();
            }
            assertTrue(System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS));
        } finally {
            pace.shutdownNow();
        }
    }

    /** Answers the path of a request, and the content behind it. */
    private static String echo(Request request) throws IOException {
        return Request.getPathInContext(request) + new String(Handlers.content(request), StandardCharsets.UTF_8);
    }

    @Test
    void aRequestIsReadInPiecesForLonger() throws Exception {
        List<TestServer> servers = new ArrayList<>();
        List<RawClient> heads = new ArrayList<>();
        List<RawClient> bodies = new ArrayList<>();
        for (Connectors connectors : Connectors.all().toList()) {
            TestServer server = new TestServer(connectors::http).start(Handlers.text(PacedPeersTest::echo));
            servers.add(server);
            heads.add(server.client().send("GET /head HTTP/1.1\r\nHost: localhost\r\nX-Long: "));
            bodies.add(server.client()
                    .send("POST /body HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"));
            server.awaitEndPoints(2);
        }
        // Not before: on a busy machine it may take as long to come here.
        servers.forEach(server ->
                server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(IDLE_MILLIS)));
        trickle(heads, bodies);
        for (int i = 0; i < servers.size(); i++) {
            String connector = servers.get(i).connector().toString();
            assertEquals("/head", heads.get(i).send("\r\n\r\n").answer().text(), connector);
            assertEquals(
                    "/body" + "x".repeat(PIECES),
                    bodies.get(i).send("0\r\n\r\n").answer().text(),
                    connector);
            servers.get(i)
                    .connector()
                    .getConnectedEndPoints()
                    .forEach(endPoint -> endPoint.setIdleTimeout(LONG_MILLIS));
        }
        for (int i = 0; i < servers.size(); i++) {
            assertEquals("/next", heads.get(i).get("/next").answer().text());
            assertEquals("/next", bodies.get(i).get("/next").answer().text());
            heads.get(i).close();
            bodies.get(i).close();
            servers.get(i).close();
        }
    }

    private static void trickle(List<RawClient> heads, List<RawClient> bodies) throws Exception {
        ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
        CountDownLatch sent = new CountDownLatch(PIECES);
        var unused = pace.scheduleAtFixedRate(
                () -> {
                    if (sent.getCount() > 0) {
                        heads.forEach(client -> send(client, "x"));
                        bodies.forEach(client -> send(client, "1\r\nx\r\n"));
                        sent.countDown();
                    }
                },
                0,
                GAP_MILLIS,
                TimeUnit.MILLISECONDS);
        try {
            assertTrue(sent.await(30, TimeUnit.SECONDS), "a connection has ended");
        } finally {
            pace.shutdownNow();
        }
    }

    private static void send(RawClient client, String piece) {
        try {
            client.send(piece);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
