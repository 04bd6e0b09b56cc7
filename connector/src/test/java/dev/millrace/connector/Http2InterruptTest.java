package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A handler of HTTP/2 that leaves its thread interrupted: the one that selects for a blocking connector, as no other thread stands
 * ready to.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#threads")
@Timeout(60)
class Http2InterruptTest {
    @Parameter
    String threads;

    private TestServer server() {
        Connectors connectors = Connectors.valueOf("BIO_" + threads.toUpperCase(Locale.ROOT));
        TestServer server = new TestServer(connectors::http2);
        ((QueuedThreadPool) server.server().getThreadPool()).setReservedThreads(0);
        return server;
    }

    private static boolean areSelectorsRunning(TestServer server) {
        return server.connector().getSelectorManager().getBeans(ManagedSelector.class).stream()
                .anyMatch(LifeCycle::isRunning);
    }

    // The first thread of a connection also runs a request that has come with the preface.
    private static void awaitSelected(TestServer server, int connections) {
        Await.until(
                "with the selector",
                () -> server.connector().getConnectedEndPoints().stream()
                                .filter(endPoint -> endPoint.getConnection() instanceof HTTP2Connection
                                        && ((MonitoredEndPoint) endPoint).awaitsRead())
                                .count()
                        == connections);
    }

    @Test
    void aStopEnds() throws Exception {
        CompletableFuture<Void> handling = new CompletableFuture<>();
        Thread stopping = Thread.currentThread();
        TestServer server = server();
        Handler interrupted = Handlers.of(Invocable.InvocationType.NON_BLOCKING, (request, response, callback) -> {
            handling.complete(null);
            // For this thread to take note of the end.
            Await.until("stopping", () -> !areSelectorsRunning(server) && stopping.getState() == Thread.State.WAITING);
            callback.succeeded();
            Thread.currentThread().interrupt();
        });
        server.start(interrupted);
        try (RawClient client = server.client()) {
            Http2Frames opened = new Http2Frames(client);
            awaitSelected(server, 1);
            opened.get("/");
            handling.get(30, TimeUnit.SECONDS);
            server.close();
        }
    }

    @Test
    void theNextConnectionIsNotInterrupted() throws Exception {
        CompletableFuture<Thread> first = new CompletableFuture<>();
        CompletableFuture<Thread> second = new CompletableFuture<>();
        CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
        CountDownLatch sent = new CountDownLatch(1);
        TestServer server = server();
        Handler handler = Handlers.of(Invocable.InvocationType.NON_BLOCKING, (request, response, callback) -> {
            switch (Request.getPathInContext(request)) {
                case "/first" -> {
                    first.complete(Thread.currentThread());
                    awaitUnread(server, sent);
                    callback.succeeded();
                    Thread.currentThread().interrupt();
                }
                default -> {
                    isInterrupted.complete(Thread.interrupted());
                    second.complete(Thread.currentThread());
                    callback.succeeded();
                }
            }
        });
        try (TestServer started = server.start(handler);
                RawClient client = started.client();
                RawClient other = started.client()) {
            Http2Frames opened = new Http2Frames(client);
            Http2Frames next = new Http2Frames(other);
            awaitSelected(started, 2);
            opened.get("/first");
            first.get(30, TimeUnit.SECONDS);
            next.get("/second");
            sent.countDown();
            assertFalse(isInterrupted.get(30, TimeUnit.SECONDS), "by the handler of another connection");
            assertSame(first.get(), second.get(30, TimeUnit.SECONDS), "the thread that selects");
        }
    }

    // A selector that finds nothing clears the flag by itself.
    private static void awaitUnread(TestServer server, CountDownLatch sent) throws InterruptedException {
        sent.await();
        Await.until(
                "the next request is there",
                () -> server.connector().getConnectedEndPoints().stream()
                        .anyMatch(endPoint -> EndPoints.available((SocketChannel) endPoint.getTransport()) > 0));
    }
}
