package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that send faster than a handler takes it, or take faster than it sends, so that the handler's thread never waits for them. */
@Timeout(60)
class BusyPeersTest {
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final AtomicInteger busy = new AtomicInteger();
    private final List<RawClient> clients = new ArrayList<>();
    private final ExecutorService peers = Executors.newCachedThreadPool();
    private volatile boolean over;

    /**
     * Of a POST it takes the content, with something to compute after each block; and for a PUT. The answer of a DELETE never ends, nor
     * that of a PATCH, which a virtual thread of the application's writes.
     */
    private final Handler computing = Handlers.of((request, response, callback) -> {
        switch (request.getMethod()) {
            case "POST" -> {
                try (InputStream content = Content.Source.asInputStream(request)) {
                    take(content);
                }
            }
            case "PUT" -> compute();
            case "DELETE" -> give(Content.Sink.asOutputStream(response));
            case "PATCH" -> {
                VirtualThreads.getDefaultVirtualThreadsExecutor().execute(() -> giveAll(response, callback));
                return;
            }
            default -> {
                // The answer is all.
            }
        }
        Content.Sink.write(response, true, "hello", callback);
    });

    private void take(InputStream content) throws IOException {
        byte[] block = new byte[4096];
        while (!over && content.read(block) >= 0) {
            compute();
        }
    }

    private void giveAll(Response response, Callback callback) {
        try (OutputStream content = Content.Sink.asOutputStream(response)) {
            give(content);
        } catch (IOException x) {
            callback.failed(x);
            return;
        }
        callback.succeeded();
    }

    private void give(OutputStream content) throws IOException {
        byte[] block = new byte[4096];
        while (!over) {
            compute();
            content.write(block);
        }
    }

    /** Sends back every message, with something to compute before. */
    public final class ComputingSocket implements Session.Listener.AutoDemanding {
        private Session session;

        @Override
        public void onWebSocketOpen(Session opened) {
            session = opened;
        }

        @Override
        public void onWebSocketText(String message) {
            compute();
            session.sendText(message, org.eclipse.jetty.websocket.api.Callback.NOOP);
        }
    }

    private void compute() {
        busy.incrementAndGet();
        long begin = System.nanoTime();
        while (!over && System.nanoTime() - begin < BUSY_NANOS) {
            Thread.onSpinWait();
        }
    }

    private void send(RawClient client, String head, byte[] rest) {
        try {
            client.send(head);
            while (!over && rest.length > 0) {
                client.send(rest);
            }
        } catch (IOException closed) {
            over = true;
        }
    }

    private void drop(RawClient client) {
        byte[] block = new byte[16 * 1024];
        try {
            while (client.in().read(block) >= 0) {
                // Of the answers none is looked at.
            }
        } catch (IOException closed) {
            over = true;
        }
    }

    private void end() throws IOException {
        over = true;
        for (RawClient client : clients) {
            client.close();
        }
        peers.shutdownNow();
    }

    @Test
    void leaveTheCarriersOfVirtualThreadsToOthersThoughTheirContentNeverEnds() throws Exception {
        leaveCarriers(
                "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\n", new byte[16 * 1024]);
    }

    @Test
    void leaveTheCarriersOfVirtualThreadsToOthersThoughTheirRequestsNeverEnd() throws Exception {
        String request = "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
        leaveCarriers(request, request.repeat(100).getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void leaveTheCarriersOfVirtualThreadsToOthersThoughTheirAnswersNeverEnd() throws Exception {
        leaveCarriers("DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n", new byte[0]);
    }

    @Test
    void leaveTheCarriersOfVirtualThreadsToOthersThoughTheirAnswersNeverEndAndContentIsLeft() throws Exception {
        leaveCarriers("DELETE / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx", new byte[0]);
    }

    @Test
    void leaveTheCarriersOfVirtualThreadsToOthersThoughAsynchronousAnswersNeverEnd() throws Exception {
        leaveCarriers("PATCH / HTTP/1.1\r\nHost: localhost\r\n\r\n", new byte[0]);
    }

    @Test
    void leaveTheCarriersOfVirtualThreadsToOthersThoughTheirMessagesNeverEnd() throws Exception {
        byte[] frames = {(byte) 0x81, (byte) 0x82, 0, 0, 0, 0, 'h', 'i'};
        leaveCarriers("""
                GET / HTTP/1.1\r
                Host: localhost\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
                \r
                """, frames);
    }

    private void leaveCarriers(String head, byte[] rest) throws Exception {
        assumeTrue(VirtualThreads.areSupported(), "no virtual threads");
        int carriers = Runtime.getRuntime().availableProcessors();
        TestServer server = new TestServer(Connectors.BIO_VIRTUAL::http);
        WebSocketUpgradeHandler upgrade = WebSocketUpgradeHandler.from(
                server.server(),
                container -> container.addMapping("/", (request, response, callback) -> new ComputingSocket()));
        upgrade.setHandler(computing);
        try (server;
                AutoCloseable end = this::end) {
            server.start(upgrade);
            for (int i = 0; i < carriers; i++) {
                RawClient client = server.client();
                clients.add(client);
                peers.execute(() -> send(client, head, rest));
                peers.execute(() -> drop(client));
            }
            Await.until("all carriers are busy", () -> busy.get() > 10 * carriers);
            try (RawClient other = server.client().get("/")) {
                assertEquals("hello", other.answer().text());
            }
        }
    }
}
