package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.VirtualThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A blocking connector that gets no more threads closes the connection that needs one, and goes on with the others. */
@ParameterizedClass
@MethodSource("kinds")
@Timeout(60)
class NoThreadTest {
    /** More than the system keeps for a peer. */
    private static final int LARGE = 32_000_000;

    @Parameter
    boolean virtual;

    private final AtomicBoolean exhausted = new AtomicBoolean();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final ExecutorService platformThreads = Executors.newCachedThreadPool();

    static Stream<Boolean> kinds() {
        return VirtualThreads.areSupported() ? Stream.of(false, true) : Stream.of(false);
    }

    @AfterEach
    void stop() {
        platformThreads.shutdownNow();
    }

    /** A connector whose threads end when the test says so, in the way in which the JDK tells of it. */
    private final class Exhaustible extends BioConnector {
        private Exhaustible(Server server) {
            super(server);
            setThreads(virtual ? "virtual" : "platform");
        }

        @Override
        ConnectionThreads newConnectionThreads(String threadName, boolean ofVirtualThreads) {
            assertEquals(virtual, ofVirtualThreads);
            Executor threads = virtual ? VirtualThreads.getNamedVirtualThreadsExecutor(threadName) : platformThreads;
            return new ConnectionThreads(
                    threadName,
                    task -> {
                        if (exhausted.get()) {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                        threads.execute(task);
                    },
                    virtual);
        }
    }

    private final Handler handler = Handlers.of((request, response, callback) -> {
        if (request.getMethod().equals("POST")) {
            Request.addCompletionListener(request, failure::complete);
        }
        switch (Request.getPathInContext(request)) {
            case "/read" -> {
                exhausted.set(true);
                Content.Source.asByteBuffer(request);
                callback.succeeded();
            }
            case "/write" -> {
                exhausted.set(true);
                Thread other = new Thread(() -> response.write(true, ByteBuffer.allocate(LARGE), callback));
                other.start();
            }
            default -> Content.Sink.write(response, true, "fine", callback);
        }
    });

    private TestServer server() throws Exception {
        return new TestServer(Exhaustible::new).start(handler);
    }

    private void assertServes(TestServer server, RawClient before) throws Exception {
        server.awaitEndPoints(before == null ? 0 : 1);
        if (before != null) {
            assertEquals("fine", before.get("/").answer().text());
        }
        exhausted.set(false);
        try (RawClient after = server.client()) {
            assertEquals("fine", after.get("/").answer().text());
        }
    }

    @Test
    void refusesAConnection() throws Exception {
        try (Logged log = new Logged(AbstractConnector.class.getName());
                TestServer server = server();
                RawClient before = server.client()) {
            assertEquals("fine", before.get("/").answer().text());
            exhausted.set(true);
            for (int i = 0; i < 20; i++) {
                try (RawClient refused = server.client()) {
                    assertEquals(-1, refused.read());
                }
            }
            BioConnector bio = (BioConnector) server.connector();
            Await.until("counted", () -> bio.getConnectorStatistics().getRefusedConnections() == 20);
            assertServes(server, before);
            assertEquals(1, log.count("Refused"), "a peer must not fill the log");
        }
    }

    @Test
    void endsAConnectionThatNeedsAReader() throws Exception {
        try (TestServer server = server();
                RawClient before = server.client();
                RawClient client = server.client()) {
            assertEquals("fine", before.get("/").answer().text());
            client.send("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
            assertNotNull(failure.get(30, TimeUnit.SECONDS));
            assertEquals(-1, client.read());
            assertServes(server, before);
        }
    }

    @Test
    void endsAConnectionThatNeedsAWriter() throws Exception {
        try (TestServer server = server();
                RawClient before = server.client();
                RawClient client = server.client()) {
            assertEquals("fine", before.get("/").answer().text());
            client.get("/write");
            // Before that, the connection may not have been accepted: the other one is not its end.
            Await.until("the thread is gone", exhausted::get);
            // A peer that reads meanwhile might have it all at once.
            server.awaitEndPoints(1);
            // No more than what the socket takes at once.
            assertTrue(client.in().readAllBytes().length < LARGE);
            assertServes(server, before);
        }
    }
}
