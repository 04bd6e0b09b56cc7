package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler may stop its own server, whatever the others do. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class StopByHandlerContractTest {
    private static final long STOP_MILLIS = 1000;
    private static final String POST = "POST /stop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n";

    @Parameter
    Connectors connectors;

    private final CountDownLatch held = new CountDownLatch(1);
    private final Semaphore released = new Semaphore(0);
    /** Whether the thread that stops was interrupted meanwhile. */
    private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();

    private final Handler handler = Handlers.of((request, response, callback) -> {
        switch (Request.getPathInContext(request)) {
            case "/hold" -> {
                held.countDown();
                released.acquireUninterruptibly();
            }
            case "/stop" -> stop(request.getConnectionMetaData().getConnector());
            case "/stop-all" ->
                stop(request.getConnectionMetaData().getConnector().getServer());
            default -> {
                // Asks whether the server runs.
            }
        }
        callback.succeeded();
    });

    private void stop(LifeCycle component) {
        try {
            LifeCycle.stop(component);
            stopped.complete(Thread.interrupted());
        } catch (RuntimeException x) {
            stopped.completeExceptionally(x);
        }
    }

    @Test
    void stopsAllConnectors() throws Exception {
        TestServer server = new TestServer(connectors::http);
        ServerConnector other = connectors.http(server.server());
        server.server().addConnector(other);
        try (server;
                RawClient stopping = server.start(handler).client();
                RawClient idle = new RawClient(other.getLocalPort())) {
            assertEquals(200, idle.get("/").answer().status());
            stopping.get("/stop-all");
            assertFalse(stopped.get(30, TimeUnit.SECONDS));
            assertEquals(-1, idle.read());
        }
    }

    /** Its connections note whether they are ended before their end points are closed. */
    private static final class WatchedFactory extends HttpConnectionFactory {
        private final CompletableFuture<Boolean> first = new CompletableFuture<>();

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            return configure(
                    new HttpConnection(getHttpConfiguration(), connector, endPoint) {
                        @Override
                        public void close() {
                            first.complete(endPoint.isOpen());
                            super.close();
                        }
                    },
                    connector,
                    endPoint);
        }
    }

    /** A stop that waited for the end of its own request would take a second. */
    @ParameterizedTest
    @ValueSource(strings = {"GET /stop HTTP/1.1\r\nHost: localhost\r\n\r\n", POST})
    void doesNotWaitForItself(String request) throws Exception {
        WatchedFactory factory = new WatchedFactory();
        try (TestServer server = new TestServer(s -> connectors.on(s, factory)).start(handler);
                RawClient stopping = server.client()) {
            stopping.send(request);
            assertFalse(stopped.get(30, TimeUnit.SECONDS));
            assertTrue(factory.first.get(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void isNotInterruptedWhenAnotherTakesTooLong() throws Exception {
        TestServer server = new TestServer(connectors::http);
        ((QueuedThreadPool) server.server().getThreadPool()).setStopTimeout(STOP_MILLIS);
        try (server;
                RawClient holding = server.start(handler).client();
                RawClient stopping = server.client()) {
            holding.get("/hold");
            held.await();
            stopping.get("/stop");
            assertFalse(stopped.get(30, TimeUnit.SECONDS));
            if (connectors == Connectors.STOCK) {
                // One that has not ended goes on when its connector runs again, and the interrupt meant for it closes
                // the new channel.
                Await.until("no acceptor", () -> !SocketContractTest.hasAcceptor(server));
            }
            server.connector().start();
            try (RawClient client = server.client()) {
                assertEquals(200, client.get("/").answer().status());
            }
            released.release();
        } finally {
            released.release();
        }
    }
}
