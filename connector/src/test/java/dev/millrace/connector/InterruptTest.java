package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.Invocable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers that are interrupted, or interrupt themselves: the JDK closes a channel on which an interrupted thread blocks. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class InterruptTest {
    @Parameter
    Connectors connectors;

    private final CompletableFuture<Thread> handling = new CompletableFuture<>();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();

    private final Handler handler = Handlers.of((request, response, callback) -> {
        String path = Request.getPathInContext(request);
        try {
            switch (path) {
                case "/before-write" -> {
                    Thread.currentThread().interrupt();
                    Content.Sink.write(response, true, "written", callback);
                    stillInterrupted.complete(Thread.currentThread().isInterrupted());
                }
                case "/before-read" -> {
                    Thread.currentThread().interrupt();
                    Handlers.content(request);
                    callback.succeeded();
                }
                case "/interrupted-reads" -> {
                    SocketChannel channel = EndPoints.channel(request);
                    Await.until("content", () -> EndPoints.available(channel) > 0);
                    Thread.currentThread().interrupt();
                    long length = readWhatIsThere(request);
                    stillInterrupted.complete(Thread.interrupted());
                    length += Handlers.content(request).length;
                    Content.Sink.write(response, true, Long.toString(length), callback);
                }
                case "/read" -> {
                    handling.complete(Thread.currentThread());
                    Handlers.content(request);
                    callback.succeeded();
                }
                case "/write" -> {
                    handling.complete(Thread.currentThread());
                    Content.Sink.write(response, true, ByteBuffer.allocateDirect(32 * 1024 * 1024));
                    callback.succeeded();
                }
                default -> Content.Sink.write(response, true, "fine", callback);
            }
        } catch (IOException x) {
            failure.complete(x);
            callback.failed(x);
        }
    });

    private static long readWhatIsThere(Request request) throws IOException {
        long length = 0;
        for (Content.Chunk chunk = request.read(); chunk != null; chunk = request.read()) {
            if (Content.Chunk.isFailure(chunk)) {
                throw new IOException(chunk.getFailure());
            }
            length += chunk.remaining();
            chunk.release();
            if (chunk.isLast()) {
                break;
            }
        }
        return length;
    }

    private void assertServesOthers(TestServer server) throws Exception {
        for (int i = 0; i < 5; i++) {
            try (RawClient other = server.client()) {
                assertEquals("fine", other.get("/").answer().text());
            }
        }
    }

    @Test
    void writesAlthoughInterruptedBefore() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("written", client.get("/before-write").answer().text());
            assertTrue(stillInterrupted.get(30, TimeUnit.SECONDS), "the interrupt is the application's");
            assertEquals("fine", client.get("/").answer().text());
        }
    }

    @Test
    void failsAReadThatWasInterruptedBefore() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            client.send("POST /before-read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
            assertNotNull(failure.get(30, TimeUnit.SECONDS));
            assertEquals(500, client.answer().status());
            assertServesOthers(server);
        }
    }

    @Test
    void readsWhatIsThereAlthoughInterruptedBefore() throws Exception {
        byte[] content = new byte[200_000];
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            client.send("POST /interrupted-reads HTTP/1.1\r\nHost: a\r\nContent-Length: " + content.length + "\r\n\r\n")
                    .send(content);
            assertEquals("200000", client.answer().text());
            assertTrue(stillInterrupted.get(30, TimeUnit.SECONDS), "the interrupt is the application's");
            assertEquals("fine", client.get("/").answer().text());
        }
    }

    @Test
    void failsAReadThatIsInterrupted() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            client.send("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
            Thread thread = handling.get(30, TimeUnit.SECONDS);
            Await.until("waits", () -> thread.getState() == Thread.State.WAITING);
            thread.interrupt();
            assertNotNull(failure.get(30, TimeUnit.SECONDS));
            assertEquals(500, client.answer().status());
            assertServesOthers(server);
        }
    }

    @Test
    void failsAWriteThatIsInterrupted() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = new RawClient(server.port(), 4096)) {
            client.get("/write");
            Thread thread = handling.get(30, TimeUnit.SECONDS);
            server.awaitBlockedWrite();
            thread.interrupt();
            assertNotNull(failure.get(30, TimeUnit.SECONDS));
            assertServesOthers(server);
        }
    }

    // Jetty's own connector may wait for its selector without end.
    @Test
    void aStopEndsAlthoughAHandlerWasInterrupted() throws Exception {
        assumeTrue(connectors != Connectors.STOCK);
        Handler interrupted = Handlers.of(Invocable.InvocationType.NON_BLOCKING, (request, response, callback) -> {
            handling.complete(Thread.currentThread());
            ServerConnector connector =
                    (ServerConnector) request.getConnectionMetaData().getConnector();
            // A blocking one has no selector that selects, and waits for this handler first.
            Await.until(
                    "stopping",
                    () -> !connector.isRunning()
                            && (connector instanceof BioConnector
                                    || connector.getSelectorManager().getBeans(ManagedSelector.class).stream()
                                            .noneMatch(LifeCycle::isRunning)));
            callback.succeeded();
            Thread.currentThread().interrupt();
        });
        TestServer server = new TestServer(connectors::http).start(interrupted);
        try (RawClient client = server.client()) {
            client.get("/");
            handling.get(30, TimeUnit.SECONDS);
            server.close();
        }
    }
}
