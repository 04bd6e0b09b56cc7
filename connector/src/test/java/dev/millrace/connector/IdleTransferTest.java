package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.files.SendfileHandler;
import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that takes nothing of a file until its idle timeout, while a worker waits for it, or nobody. */
@Timeout(60)
class IdleTransferTest {
    private static final int BYTES = 20_000_000;
    private static final int IDLE_MILLIS = 300;

    @TempDir
    Path directory;

    /** The listener that was told of a failure, and of which. */
    private record Told(Throwable cause, Thread thread) {
        private static Told here(Throwable cause) {
            return new Told(cause, Thread.currentThread());
        }
    }

    private final CompletableFuture<Told> told = new CompletableFuture<>();

    private Handler files() throws IOException {
        TestFiles.write(directory, "file.bin", BYTES);
        SendfileHandler files = Handlers.files(directory);
        return Handlers.around(
                files,
                (request, response, callback) ->
                        files.handle(request, response, Callback.from(callback::succeeded, cause -> {
                            told.complete(Told.here(cause));
                            callback.failed(cause);
                        })));
    }

    private static void awaitBlockedWrite(EndPoint endPoint) {
        Await.until("the write waits", () -> ((MonitoredEndPoint) endPoint).isWritePending());
    }

    private static void awaitEnd(TestServer server) {
        server.awaitNoEndPoints();
        Await.until(
                "no worker has it",
                () -> ((NioConnector) server.connector()).getTransferWorkers().getBusy() == 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SimpleBlocking", "EqualBlocking(20000)", "EqualNonBlocking", "Adaptive"})
    void tellsTheApplicationWhyAndOnNoWorker(String algorithm) throws Exception {
        TestServer server = new TestServer(Connectors.NIO::http);
        server.millrace().setAlgorithm(algorithm);
        try (server;
                RawClient client = new RawClient(server.start(files()).port(), 4096).get("/file.bin")) {
            assertEquals("HTTP/1.1 200 OK", client.line());
            EndPoint endPoint =
                    server.connector().getConnectedEndPoints().iterator().next();
            awaitBlockedWrite(endPoint);
            endPoint.setIdleTimeout(IDLE_MILLIS);
            Told end = told.get(30, TimeUnit.SECONDS);
            assertInstanceOf(TimeoutException.class, end.cause());
            assertFalse(
                    end.thread().getName().contains("-transfer-"), end.thread().getName());
            awaitEnd(server);
        }
    }

    /**
     * A thread that waits for bytes of the peer is told of the end by the thread that closes: it may block, and the
     * scheduler has one thread.
     */
    @Test
    void isNotClosedByTheScheduler() throws Exception {
        PassiveProtocol protocol = new PassiveProtocol();
        TestServer server = new TestServer(s -> Connectors.NIO.on(s, protocol));
        server.millrace().setAlgorithm("SimpleBlocking");
        TestFiles.write(directory, "file.bin", BYTES);
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"));
                server;
                RawClient client = new RawClient(
                        server.start(Handlers.declining(Invocable.InvocationType.NON_BLOCKING))
                                .port(),
                        4096)) {
            CompletableFuture<Thread> scheduling = new CompletableFuture<>();
            server.server()
                    .getScheduler()
                    .schedule(() -> scheduling.complete(Thread.currentThread()), 0, TimeUnit.MILLISECONDS);
            TransferEndPoint endPoint =
                    (TransferEndPoint) protocol.awaitOpened().getEndPoint();
            endPoint.fillInterested(Callback.from(() -> {}, cause -> told.complete(Told.here(cause))));
            ByteBuffer token = file.map(FileChannel.MapMode.READ_ONLY, 0, BYTES);
            FileRegion region = new FileRegion(file, 0, token);
            endPoint.announce(region);
            Callback.Completable written = new Callback.Completable();
            endPoint.write(written, token);
            awaitBlockedWrite(endPoint);
            endPoint.setIdleTimeout(IDLE_MILLIS);
            assertNotSame(
                    scheduling.get(30, TimeUnit.SECONDS),
                    told.get(30, TimeUnit.SECONDS).thread());
            awaitEnd(server);
            assertThrows(ExecutionException.class, () -> written.get(30, TimeUnit.SECONDS));
            endPoint.withdraw(region);
        }
    }
}
