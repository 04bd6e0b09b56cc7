package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A turn ends though the client would take more; and who waits for one is not idle. */
class TurnEndTest {
    private static final int FILE_BYTES = 20_000_000;
    private static final int QUEUED_BYTES = 3_000_000;
    private static final int IDLE_MILLIS = 100;

    /** Others want the worker, and the client takes all. */
    private static final class Crowd implements Transfer.Peer {
        @Override
        public void onTransferred(int bytes) {
        }

        @Override
        public boolean isCrowded() {
            return true;
        }

        @Override
        public boolean canWait() {
            return true;
        }

        @Override
        public boolean awaitWritable(int millis) {
            return true;
        }
    }

    @TempDir
    Path directory;

    private static void takeAll(Socket socket) {
        try (InputStream in = socket.getInputStream()) {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    /** Over a socket that blocks, so that it is never full. */
    @ParameterizedTest
    @CsvSource({"EqualNonBlocking,2097152", "Adaptive,2097152", "EqualBlocking(100000),100000"})
    void isAtItsBound(String algorithm, int turnBytes) throws Exception {
        Path file = directory.resolve("sparse.bin");
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(FILE_BYTES);
        }
        try (FileChannel channel = FileChannel.open(file);
                ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel socket = SocketChannel.open(listener.getLocalAddress());
                SocketChannel client = listener.accept()) {
            CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> takeAll(client.socket()));
            FileRegion region = new FileRegion(channel, 0, channel.map(MapMode.READ_ONLY, 0, FILE_BYTES));
            Transfer transfer = new Transfer(region, TransferAlgorithm.of(algorithm), new TransferStatistics());
            Transfer.Peer crowd = new Crowd();
            assertEquals(Transfer.Step.OVER, transfer.begin(socket, crowd));
            assertEquals(turnBytes, region.sent());
            for (int turn = 2; turn <= 3; turn++) {
                assertEquals(Transfer.Step.OVER, transfer.turn(socket, crowd));
                assertEquals(turn * turnBytes, region.sent());
            }
            socket.close();
            reader.get(10, TimeUnit.SECONDS);
        }
    }

    private static int queued(TestServer server) {
        return server.connector() instanceof NioConnector nio
                ? nio.getTransferWorkers().getQueued() : ((BioConnector) server.connector()).getTransferPermits().getQueued();
    }

    private static int busy(TestServer server) {
        return server.connector() instanceof NioConnector nio
                ? nio.getTransferWorkers().getBusy() : ((BioConnector) server.connector()).getTransferPermits().getBusy();
    }

    private TestServer server(Connectors connectors) {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        MillraceConnector millrace = (MillraceConnector) server.connector();
        // The turn of the first lasts until it has all.
        millrace.setAlgorithm(millrace instanceof NioConnector ? "SimpleBlocking" : "EqualBlocking(" + QUEUED_BYTES + ")");
        millrace.setWorkers(1);
        millrace.setMinResponseBytesPerSecond(0);
        return server;
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#senders")
    void isAwaitedForLongerThanTheIdleTimeout(Connectors connectors) throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", QUEUED_BYTES);
        SendfileHandler files = new SendfileHandler();
        files.setBaseResourceAsString(directory.toString());
        TestServer server = server(connectors);
        try (server; Download first = new Download(server.start(files).port(), "/file.bin", 8192)) {
            first.head();
            // The header comes before the turn, which the second could get in its stead.
            Await.until("the first has its turn", () -> busy(server) == 1);
            Set<EndPoint> ofFirst = Set.copyOf(server.connector().getConnectedEndPoints());
            try (Download second = new Download(server.port(), "/file.bin", 8192)) {
                Await.until("the second waits", () -> queued(server) == 1);
                EndPoint waiting = server.connector().getConnectedEndPoints().stream()
                        .filter(endPoint -> !ofFirst.contains(endPoint)).findAny().orElseThrow();
                long idleTimeout = waiting.getIdleTimeout();
                waiting.setIdleTimeout(IDLE_MILLIS);
                long begin = System.nanoTime();
                Await.until("it has waited for long",
                        () -> System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(5 * IDLE_MILLIS));
                waiting.setIdleTimeout(idleTimeout);
                assertEquals(1, queued(server));
                assertEquals(QUEUED_BYTES, first.readAll(65536).received());
                assertEquals(Download.checksum(bytes, QUEUED_BYTES), second.head().readAll(65536).checksum());
            }
        }
    }
}
