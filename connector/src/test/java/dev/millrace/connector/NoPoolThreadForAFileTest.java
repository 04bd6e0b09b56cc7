package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.ExhaustiblePool;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A file has been sent, and the pool has no thread to tell the application so, nor gets one: that waits, and the connection stays. */
@Timeout(60)
class NoPoolThreadForAFileTest {
    private static final int FILE_BYTES = 3_000_000;
    private static final int SOCKET_BUFFER_BYTES = 64 * 1024;
    private static final int CLIENTS = 20;

    @TempDir
    Path directory;

    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();

    private Handler handler() {
        SendfileHandler files = Handlers.files(directory);
        files.setHandler(Handlers.waiting(waiting, release));
        // Of which nobody knows that it does not block: no worker may call it.
        return Handlers.around(
                files,
                (request, response, callback) ->
                        files.handle(request, response, Callback.from(callback::succeeded, callback::failed)));
    }

    private static ServerConnector connector(Connectors connectors, Server server, ExhaustiblePool pool) {
        if (connectors == Connectors.STOCK) {
            return new ServerConnector(server, pool, null, null, 1, 1, new HttpConnectionFactory());
        }
        NioConnector nio = new NioConnector(server, pool, null, null, 1, 1, new HttpConnectionFactory());
        nio.setDispatch(connectors == Connectors.NIO_HANDOFF ? "handoff" : "adaptive");
        nio.setMinResponseBytesPerSecond(0);
        return nio;
    }

    @ParameterizedTest
    @EnumSource(names = {"STOCK", "NIO", "NIO_HANDOFF"})
    void keepsTheConnection(Connectors connectors) throws Exception {
        byte[] content = TestFiles.write(directory, "file.bin", FILE_BYTES);
        ExhaustiblePool pool = new ExhaustiblePool();
        List<RawClient> clients = new ArrayList<>();
        TestServer server = new TestServer(s -> connector(connectors, s, pool));
        server.connector().setAcceptedSendBufferSize(SOCKET_BUFFER_BYTES);
        try (server;
                AutoCloseable end = release::countDown;
                RawClient download = new RawClient(server.start(handler()).port(), SOCKET_BUFFER_BYTES)) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(server.client());
                assertEquals("fine", clients.get(i).get("/now").answer().text());
            }
            assertEquals("HTTP/1.1 200 OK", download.get("/file.bin").line());
            pool.setExhausted(true);
            for (RawClient client : clients) {
                client.get("/wait");
            }
            Await.until(
                    "all are handled, or wait for a thread",
                    () -> waiting.get() + pool.getQueueSize() >= CLIENTS,
                    pool::toString);
            CompletableFuture<byte[]> body = CompletableFuture.supplyAsync(() -> rest(download));
            if (connectors != Connectors.STOCK) {
                // Its workers are others than the pool's threads.
                assertArrayEquals(content, body.get(30, TimeUnit.SECONDS));
            }
            release.countDown();
            assertArrayEquals(content, body.get(30, TimeUnit.SECONDS));
            assertEquals("fine", download.get("/now").answer().text());
            for (RawClient client : clients) {
                assertEquals("fine", client.answer().text());
                client.close();
            }
            pool.setExhausted(false);
        }
    }

    private static byte[] rest(RawClient client) {
        try {
            while (!client.line().isEmpty()) {
                // The head.
            }
            return client.in().readNBytes(FILE_BYTES);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
