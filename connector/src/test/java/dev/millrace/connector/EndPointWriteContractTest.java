package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferEndPoint;
import dev.millrace.transfer.TransferStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a protocol may expect of an end point that it writes to. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class EndPointWriteContractTest {
    @Parameter
    Connectors connectors;

    private final PassiveProtocol protocol = new PassiveProtocol();
    private TestServer server;
    private RawClient client;
    private EndPoint endPoint;

    @BeforeEach
    void connect() throws Exception {
        server = new TestServer(s -> connectors.on(s, protocol));
        server.start(null);
        client = server.client();
        endPoint = protocol.awaitOpened().getEndPoint();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        endPoint.close();
        server.close();
    }

    private CompletableFuture<Void> write(ByteBuffer... buffers) {
        Callback.Completable callback = new Callback.Completable();
        endPoint.write(callback, buffers);
        return callback;
    }

    @Test
    void writesBuffersOfAllKindsInOrder() throws Exception {
        ByteBuffer direct = ByteBuffer.allocateDirect(3)
                .put("def".getBytes(StandardCharsets.UTF_8))
                .flip();
        ByteBuffer readOnly = BufferUtil.toBuffer("ghi").asReadOnlyBuffer();
        write(BufferUtil.toBuffer("abc"), BufferUtil.EMPTY_BUFFER, direct, readOnly)
                .get(30, TimeUnit.SECONDS);
        assertFalse(direct.hasRemaining());
        assertArrayEquals(
                "abcdefghi".getBytes(StandardCharsets.UTF_8), client.in().readNBytes(9));
    }

    @Test
    void failsAWriteToAPeerThatIsGone() throws Exception {
        client.socket().setSoLinger(true, 0);
        client.close();
        Throwable failure = null;
        while (failure == null) {
            // The first one may get lost in the system's buffer.
            failure = write(ByteBuffer.allocate(1_000_000))
                    .handle((done, cause) -> cause)
                    .get(30, TimeUnit.SECONDS);
        }
        assertInstanceOf(EofException.class, failure);
    }

    @Test
    void failsToWriteEvenNothingWhenItIsClosed() {
        endPoint.close();
        assertThrows(IOException.class, () -> endPoint.flush(BufferUtil.EMPTY_BUFFER));
        assertThrows(
                ExecutionException.class, () -> write(BufferUtil.EMPTY_BUFFER).get(30, TimeUnit.SECONDS));
    }

    @Test
    void failsToWriteEvenNothingAfterTheEndOfItsOutput() {
        endPoint.shutdownOutput();
        assertThrows(IOException.class, () -> endPoint.flush(BufferUtil.EMPTY_BUFFER));
    }

    // The same each time, whichever of two threads comes first: the one that sees the timeout, or the one that writes.
    @Test
    void failsAWriteByItsIdleTimeout() throws Exception {
        ByteBuffer content = ByteBuffer.allocateDirect(16_000_000);
        List<RawClient> clients = new ArrayList<>();
        List<Callback.Completable> writes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            clients.add(new RawClient(server.port(), 4096));
            writes.add(new Callback.Completable());
            EndPoint idle = protocol.awaitOpened().getEndPoint();
            idle.write(writes.get(i), content.duplicate());
            // Not before: on a busy machine that may take longer.
            idle.setIdleTimeout(100);
        }
        for (Callback.Completable written : writes) {
            Throwable cause = written.handle((done, failure) -> failure).get(30, TimeUnit.SECONDS);
            assertInstanceOf(TimeoutException.class, cause);
            assertEndsSomewhere(cause);
        }
        for (RawClient idle : clients) {
            idle.close();
        }
        server.awaitEndPoints(1);
    }

    /** A report that walks through causes, and what they suppress, comes to an end. */
    static void assertEndsSomewhere(Throwable failure) {
        assertEndsSomewhere(failure, new ArrayDeque<>());
    }

    private static void assertEndsSomewhere(Throwable failure, Deque<Throwable> above) {
        assertFalse(above.stream().anyMatch(other -> other == failure), () -> "again: " + failure);
        above.push(failure);
        if (failure.getCause() != null) {
            assertEndsSomewhere(failure.getCause(), above);
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            assertEndsSomewhere(suppressed, above);
        }
        above.pop();
    }

    // Jetty's flusher waits until nobody writes any more: a write that goes on for ever would never let it return.
    private void assertCancels(Callback.Completable written) throws Exception {
        client.in().readNBytes(1000);
        Callback cancelled = endPoint.cancelWrite(new IOException("cancelled"));
        if (cancelled == null) {
            // It had failed before it could be handed back.
            assertInstanceOf(
                    IOException.class, written.handle((done, cause) -> cause).get(30, TimeUnit.SECONDS));
        } else {
            assertSame(written, cancelled);
            assertFalse(written.isDone(), "whoever cancels a write completes it");
        }
        if (endPoint instanceof BioEndPoint) {
            // Nothing else brings a thread out of a blocking write; and what follows half a write is nonsense to the
            // peer.
            assertFalse(endPoint.isOpen());
            server.awaitNoEndPoints();
        }
    }

    @Test
    void cancelsAWriteThatThePeerDoesNotTake() throws Exception {
        Callback.Completable written = new Callback.Completable();
        endPoint.write(written, ByteBuffer.allocate(64_000_000));
        assertCancels(written);
    }

    @Test
    void cancelsATransferThatThePeerDoesNotTake(@TempDir Path directory) throws Exception {
        assumeTrue(endPoint instanceof TransferEndPoint, "Jetty's own has none");
        TransferEndPoint sender = (TransferEndPoint) endPoint;
        TestFiles.write(directory, "file.bin", 20_000_000);
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"))) {
            ByteBuffer token = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
            FileRegion region = new FileRegion(file, 0, token);
            sender.announce(region);
            Callback.Completable written = new Callback.Completable();
            endPoint.write(written, token);
            assertCancels(written);
            sender.withdraw(region);
            // The file must not be closed under who sends it.
            endPoint.close();
            server.awaitNoEndPoints();
        }
    }

    @Test
    void withdrawsNothingButTheRegionItIsTold(@TempDir Path directory) throws Exception {
        assumeTrue(endPoint instanceof TransferEndPoint, "Jetty's own has none");
        TransferEndPoint sender = (TransferEndPoint) endPoint;
        TransferStatistics statistics = sender.getTransferStatistics();
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"))) {
            FileRegion former = new FileRegion(file, 0, file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()));
            FileRegion next = new FileRegion(file, 0, file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()));
            sender.announce(former);
            sender.announce(next);
            assertEquals(1, statistics.getAborted(), "the next one takes the place of the former");
            sender.withdraw(former);
            CompletableFuture<Void> written = write(next.token());
            assertArrayEquals(bytes, client.in().readNBytes(bytes.length));
            written.get(30, TimeUnit.SECONDS);
            sender.withdraw(next);
            sender.withdraw(next);
            assertEquals(bytes.length, statistics.getTransferredBytes() + statistics.getRegionCopiedBytes());
            assertEquals(2, statistics.getRegions());
            assertEquals(1, statistics.getCompleted());
            assertEquals(1, statistics.getAborted());
        }
    }

    @Test
    void cancelsNothingWhereNothingIsWritten() throws Exception {
        write(BufferUtil.toBuffer("abc")).get(30, TimeUnit.SECONDS);
        assertNull(endPoint.cancelWrite(new IOException("cancelled")));
        assertArrayEquals("abc".getBytes(StandardCharsets.UTF_8), client.in().readNBytes(3));
    }
}
