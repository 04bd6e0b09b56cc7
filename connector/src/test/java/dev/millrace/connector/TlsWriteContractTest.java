package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link TlsConnectionFactory} on every connector, Jetty's own too: many records leave at once, and no memory stays behind. */
class TlsWriteContractTest extends TlsContract {
    /** More than the sockets of both sides take. */
    private static final int FILE_BYTES = 6_000_000;

    private static final int IDLE_PEERS = 20;

    TlsWriteContractTest() {
        super(FILE_BYTES);
    }

    private TestServer server() {
        return server(new TlsConnectionFactory(tls.server(), HTTP, memory));
    }

    private RawClient slowClient(TestServer server) throws Exception {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(64 * 1024);
        socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
        return tls.over(socket);
    }

    private static void awaitStalled(TestServer server, int connections) {
        Await.until(
                "all stalled",
                () -> server.connector().getConnectedEndPoints().size() == connections
                        && server.connector().getConnectedEndPoints().stream()
                                .allMatch(endPoint -> ((AbstractEndPoint) endPoint).getIdleFor() > 200));
    }

    @Test
    void sendsFilesToSlowPeers() throws Exception {
        int peers = 2 * BATCHES + 1;
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = startPatient(server(), Handlers.files(directory))) {
            for (int i = 0; i < peers; i++) {
                clients.add(slowClient(server).get("/file.bin"));
            }
            awaitStalled(server, peers);
            // A thread that blocks has what it writes; nobody has more than the batches that there may be.
            int most = connectors == Connectors.BIO_PLATFORM || connectors == Connectors.BIO_VIRTUAL ? 2 * BATCHES : 0;
            // One that the machine holds up in a write stands still, too.
            Await.until("given back", () -> memory.getTaken() <= most, () -> memory.getTaken() + " are taken");
            for (RawClient client : clients) {
                assertArrayEquals(bytes, client.answer().body());
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            }
            assertNothingIsTaken();
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /** Patient with peers that take nothing, however slow the machine is. */
    private static TestServer startPatient(TestServer server, Handler handler) throws Exception {
        // Of streams, too.
        server.connector().setIdleTimeout(120_000);
        if (server.connector() instanceof MillraceConnector millrace) {
            millrace.setMinResponseBytesPerSecond(0);
        }
        return server.start(handler);
    }

    /** However many they are, and although they leave no memory for batches where a thread blocks for each. */
    @Test
    @Timeout(180)
    void servesOthersBesidePeersThatTakeNothing() throws Exception {
        List<RawClient> peers = new ArrayList<>();
        try (TestServer server = startPatient(server(), Handlers.files(directory))) {
            for (int i = 0; i < IDLE_PEERS; i++) {
                peers.add(slowClient(server).get("/file.bin"));
            }
            awaitStalled(server, IDLE_PEERS);
            try (RawClient other = tls.connect(server.port())) {
                for (int i = 0; i < 5; i++) {
                    assertArrayEquals(bytes, other.get("/file.bin").answer().body());
                }
            }
            for (RawClient peer : peers) {
                assertArrayEquals(bytes, peer.answer().body());
            }
            assertNothingIsTaken();
        } finally {
            for (RawClient peer : peers) {
                peer.close();
            }
        }
    }

    /** As {@link #servesOthersBesidePeersThatTakeNothing}, where it is not the socket that is full. */
    @Test
    @Timeout(180)
    void servesOthersBesidePeersOfHttp2WhoseWindowsAreShut() throws Exception {
        List<RawClient> peers = new ArrayList<>();
        List<Http2Frames> requests = new ArrayList<>();
        TlsConnectionFactory ssl = new TlsConnectionFactory(tls.server(), ALPN, memory);
        try (TestServer server = startPatient(http2Server(ssl, new HttpConfiguration()), Handlers.files(directory))) {
            for (int i = 0; i < IDLE_PEERS; i++) {
                RawClient peer = tls.over(new Socket("127.0.0.1", server.port()), "h2");
                peers.add(peer);
                Http2Frames frames = new Http2Frames(peer);
                frames.setWindows(0);
                requests.add(frames.get("/file.bin"));
            }
            awaitStalled(server, IDLE_PEERS);
            try (RawClient other = tls.over(new Socket("127.0.0.1", server.port()), "h2")) {
                Http2Frames frames = new Http2Frames(other).openWindows();
                for (int i = 0; i < 5; i++) {
                    assertArrayEquals(bytes, frames.get("/file.bin").contentBytes());
                }
            }
            for (Http2Frames request : requests) {
                assertArrayEquals(bytes, request.openWindows().contentBytes());
            }
            assertNothingIsTaken();
        } finally {
            for (RawClient peer : peers) {
                peer.close();
            }
        }
    }

    /** The token may be a mapping, which is not to be read. Here it has other bytes than the file. */
    @Test
    void readsTheFileAndNotItsToken() throws Exception {
        TlsMemory none = new TlsMemory(BATCHES, size -> {
            throw new OutOfMemoryError("Cannot reserve memory");
        });
        for (TlsMemory with : List.of(memory, none)) {
            try (FileChannel file = FileChannel.open(directory.resolve("file.bin"));
                    TestServer server = server(new TlsConnectionFactory(tls.server(), HTTP, with))
                            .start(Handlers.region(file, FILE_BYTES));
                    RawClient client = slowClient(server).get("/")) {
                awaitStalled(server, 1);
                assertArrayEquals(bytes, client.answer().body());
                Await.until("given back", () -> with.getTaken() == 0 && with.getFree() == BATCHES);
            }
        }
    }

    /** Writes a file from memory: on the heap, outside of it, or in pieces. */
    private final class FromMemory extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            switch (Request.getPathInContext(request)) {
                case "/heap" -> Content.Sink.write(response, true, ByteBuffer.wrap(bytes));
                case "/direct" ->
                    Content.Sink.write(
                            response,
                            true,
                            ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
                default -> {
                    for (int at = 0; at < bytes.length; at += 300_000) {
                        int length = Math.min(300_000, bytes.length - at);
                        Content.Sink.write(response, at + length == bytes.length, ByteBuffer.wrap(bytes, at, length));
                    }
                }
            }
            callback.succeeded();
            return true;
        }
    }

    @Test
    void sendsMemoryToASlowPeer() throws Exception {
        try (TestServer server = server().start(new FromMemory());
                RawClient client = slowClient(server)) {
            for (String path : List.of("/heap", "/direct", "/pieces")) {
                client.get(path);
                awaitStalled(server, 1);
                assertArrayEquals(bytes, client.answer().body(), path);
            }
            assertNothingIsTaken();
        }
    }

    @Test
    void givesBackWhatAPeerLeftBehind() throws Exception {
        try (TestServer server = server().start(Handlers.files(directory))) {
            for (int i = 0; i < BATCHES + 1; i++) {
                RawClient client = slowClient(server).get("/file.bin");
                awaitStalled(server, 1);
                client.close();
                server.awaitNoEndPoints();
            }
            assertNothingIsTaken();
        }
    }

    /** And counts nothing that it did not get: else no connection would write more than one record at once when there is memory again. */
    @Test
    void writesOneRecordAtATimeWhenThereIsNoMemory() throws Exception {
        for (Handler handler : List.of(Handlers.files(directory), new FromMemory())) {
            AtomicBoolean isRefused = new AtomicBoolean(true);
            TlsMemory scarce = new TlsMemory(BATCHES, size -> {
                if (isRefused.get()) {
                    throw new OutOfMemoryError("Cannot reserve memory");
                }
                return ByteBuffer.allocateDirect(size);
            });
            try (TestServer server =
                    server(new TlsConnectionFactory(tls.server(), HTTP, scarce)).start(handler)) {
                for (int i = 0; i < BATCHES + 1; i++) {
                    try (RawClient client = tls.connect(server.port())) {
                        assertArrayEquals(
                                bytes, client.get("/file.bin").answer().body());
                    }
                    server.awaitNoEndPoints();
                }
                Await.until("left", () -> scarce.getTaken() == 0 && scarce.getFree() == BATCHES);
                isRefused.set(false);
                scarce.letUnusedGo();
                try (RawClient client = tls.connect(server.port())) {
                    assertArrayEquals(bytes, client.get("/file.bin").answer().body());
                }
                Await.until("given back", () -> scarce.getTaken() == 0 && scarce.getFree() == BATCHES);
            }
        }
    }

    @Test
    void writesManyRecordsAtOnce() throws Exception {
        AtomicInteger most = new AtomicInteger();
        TestServer server = server();
        if (server.connector() instanceof MillraceConnector millrace) {
            millrace.setContentWriterFactory(pool -> (channel, buffers, from, to, mostBytes) -> {
                long written = GatherWriter.INSTANCE.write(channel, buffers, from, to, mostBytes);
                most.accumulateAndGet((int) written, Math::max);
                return written;
            });
            server.connector().setAcceptedSendBufferSize(-1);
            try (server;
                    RawClient client =
                            tls.connect(server.start(Handlers.files(directory)).port())) {
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
                assertTrue(most.get() > 64 * 1024, "at most " + most);
            }
        }
    }

    /** The file is read, and a mapping would end the process, or at best the handler, where the file has ended. */
    @Test
    void endsAnAnswerWhoseFileBecomesShorter() throws Exception {
        SendfileHandler files = Handlers.files(directory);
        try (TestServer server = server().start(files);
                RawClient client = slowClient(server).get("/file.bin")) {
            // The answer has promised the whole file: one that is yet to begin would be whole with half of it.
            assertEquals('H', client.read());
            awaitStalled(server, 1);
            TestFiles.resize(directory.resolve("file.bin"), FILE_BYTES / 2);
            int read = countToTheEnd(client);
            assertTrue(read < FILE_BYTES, "read " + read);
            server.awaitNoEndPoints();
            assertNothingIsTaken();
            try (RawClient another = tls.connect(server.port())) {
                assertEquals(
                        Files.size(directory.resolve("file.bin")),
                        another.get("/file.bin").answer().body().length);
            }
        }
    }

    private static int countToTheEnd(RawClient client) throws SocketTimeoutException {
        byte[] block = new byte[64 * 1024];
        int count = 0;
        try {
            for (int read = 0; read >= 0; read = client.in().read(block)) {
                count += read;
            }
        } catch (SocketTimeoutException noEnd) {
            throw noEnd;
        } catch (IOException end) {
            // A reset, or an end without an alert.
            return count;
        }
        return count;
    }
}
