package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** How connections end, on every connector: by time, by the peer, by stopping. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Execution(ExecutionMode.CONCURRENT)
class LifetimeContractTest {
    private final Handler hello = Handlers.hello();

    @Parameter
    Connectors connectors;

    private TestServer server(int idleTimeoutMillis) {
        TestServer server = new TestServer(connectors::http);
        server.connector().setIdleTimeout(idleTimeoutMillis);
        return server;
    }

    @Test
    void endsAConnectionThatSendsNothing() throws Exception {
        try (TestServer server = server(300).start(hello);
                RawClient client = server.client()) {
            assertEquals(-1, client.read());
            server.awaitNoEndPoints();
        }
    }

    @Test
    void endsAnIdleConnectionAfterARequest() throws Exception {
        try (TestServer server = server(30_000).start(hello);
                RawClient client = server.client()) {
            assertEquals("hello", client.get("/").answer().text());
            // Not before: a busy machine may take as long to answer.
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(300));
            assertEquals(-1, client.read());
            server.awaitNoEndPoints();
        }
    }

    /** 0 is no timeout at all, for who waits for a request as for who writes. */
    @Test
    void endsNoIdleConnectionWithoutATimeout() throws Exception {
        int bytes = 32 * 1024 * 1024;
        Handler large = Handlers.zeros(bytes);
        try (TestServer server = server(0).start(large);
                RawClient idle = server.client();
                RawClient reader = server.client()) {
            reader.get("/");
            server.awaitEndPoints(2);
            server.connector().setIdleTimeout(300);
            try (RawClient ended = server.client()) {
                assertEquals(-1, ended.read());
            }
            assertEquals(bytes, reader.answer().body().length);
            assertEquals(bytes, idle.get("/").answer().body().length);
        }
    }

    @Test
    void endsARequestWhoseBodyStalls() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Handler reader = Handlers.of((request, response, callback) -> {
            // Not before: a busy machine may take as long to come here.
            EndPoints.of(request).setIdleTimeout(300);
            try {
                Handlers.content(request);
            } catch (IOException x) {
                failure.complete(x);
                throw x;
            }
            callback.succeeded();
        });
        try (TestServer server = server(30_000).start(reader);
                RawClient client = server.client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf");
            assertNotNull(failure.get(30, TimeUnit.SECONDS));
            while (client.read() >= 0) {
                // Whatever error is answered, the connection ends.
            }
            server.awaitNoEndPoints();
        }
    }

    @Test
    void endsAWriteThatThePeerDoesNotTake() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Handler flood = Handlers.of((request, response, callback) -> {
            // Not before: a busy machine may take as long to come here.
            EndPoints.of(request).setIdleTimeout(400);
            ByteBuffer megabyte = ByteBuffer.allocateDirect(1024 * 1024);
            try {
                for (int i = 0; i < 64; i++) {
                    Content.Sink.write(response, false, megabyte.slice());
                }
            } catch (IOException x) {
                failure.complete(x);
                callback.failed(x);
                return;
            }
            failure.complete(new AssertionError("the peer took everything"));
            callback.succeeded();
        });
        try (TestServer server = server(30_000).start(flood);
                RawClient client = new RawClient(server.port(), 4096)) {
            client.get("/");
            assertTrue(failure.get(30, TimeUnit.SECONDS) instanceof IOException, failure::toString);
            server.awaitNoEndPoints();
        }
    }

    @Test
    void finishesTheRequestInFlightBeforeItStops() throws Exception {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        TestServer server = server(30_000);
        server.server().setStopTimeout(10_000);
        server.start(new GracefulHandler(Handlers.late(handling, release)));
        try (RawClient client = server.client();
                RawClient idle = server.client()) {
            client.get("/");
            assertTrue(handling.await(30, TimeUnit.SECONDS));
            Await.until(
                    "both accepted",
                    () -> server.connector().getConnectedEndPoints().size() == 2);
            // The common pool may have a single thread, for all cases that run at once.
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(
                    () -> {
                        try {
                            server.close();
                        } catch (Exception x) {
                            throw new IllegalStateException(x);
                        }
                    },
                    task -> new Thread(task).start());
            Await.until("accepts no more", () -> server.connector().isShutdown());
            assertFalse(stopped.isDone());
            release.countDown();
            RawClient.Answer answer = client.answer();
            assertEquals("late", answer.text());
            assertEquals("close", answer.headers().get("Connection"));
            awaitHurry(server);
            stopped.get(30, TimeUnit.SECONDS);
            assertEquals(-1, client.read());
            assertEquals(-1, idle.read());
        }
    }

    // A connection that its client keeps open ends after twice the timeout of a stop: the rest of that tells nothing
    // more.
    private static void awaitHurry(TestServer server) {
        Await.until(
                "who is left must hurry",
                () -> server.connector().getConnectedEndPoints().stream()
                        .allMatch(endPoint ->
                                endPoint.getIdleTimeout() <= server.connector().getShutdownIdleTimeout()));
        server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(100));
    }

    @Test
    void stopsWithConnectionsOpen() throws Exception {
        RawClient[] clients = new RawClient[20];
        try (TestServer server = server(30_000).start(hello)) {
            for (int i = 0; i < clients.length; i++) {
                clients[i] = server.client();
                if (i % 2 == 0) {
                    assertEquals("hello", clients[i].get("/").answer().text());
                }
            }
            Await.until(
                    "all accepted",
                    () -> server.connector().getConnectedEndPoints().size() == clients.length);
        }
        for (RawClient client : clients) {
            assertEquals(-1, client.read());
            client.close();
        }
    }

    @Test
    void startsAgainAfterItStopped() throws Exception {
        TestServer server = server(30_000);
        for (int i = 0; i < 5; i++) {
            server.start(hello);
            try (RawClient client = server.client()) {
                assertEquals("hello", client.get("/").answer().text());
            }
            server.close();
        }
    }

    @Test
    void startsAfterAStartThatFailed() throws Exception {
        TestServer server = server(30_000);
        server.server().setOpenEarly(false);
        try (ServerSocket busy = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            server.connector().setPort(busy.getLocalPort());
            assertThrows(IOException.class, server.connector()::start);
        }
        server.connector().setPort(0);
        try (server;
                RawClient client = server.start(hello).client()) {
            assertEquals("hello", client.get("/").answer().text());
        }
    }

    @Test
    void survivesAnInterruptedHandler() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "a selector of Jetty's may keep the interrupt, and then never stop");
        Handler interrupting = Handlers.of((request, response, callback) -> {
            Content.Sink.write(response, true, "hello", callback);
            Thread.currentThread().interrupt();
        });
        try (TestServer server = server(30_000).start(interrupting);
                RawClient client = server.client()) {
            for (int i = 0; i < 5; i++) {
                assertEquals("hello", client.get("/").answer().text());
            }
        }
    }

    @Test
    void endsItsConnectionsWhenABeanFailsToStop() throws Exception {
        TestServer server = server(30_000);
        server.connector()
                .addBean(
                        new AbstractLifeCycle() {
                            private boolean hasFailed;

                            @Override
                            protected void doStop() throws Exception {
                                if (!hasFailed) {
                                    hasFailed = true;
                                    throw new IOException("cannot stop");
                                }
                            }
                        },
                        true);
        try (server;
                RawClient client = server.start(hello).client()) {
            assertEquals("hello", client.get("/").answer().text());
            assertThrows(IOException.class, server.server()::stop);
            assertEquals(-1, client.read());
            server.awaitNoEndPoints();
        }
    }

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }

    /** The thread that opens a connection may be about to return when it has ended already. */
    @Test
    void isConnectedUntilItsEndWasTold() throws Exception {
        assumeFalse(connectors.name().startsWith("BIO"), "the thread that opens a connection also ends it");
        CompletableFuture<Boolean> stillThere = new CompletableFuture<>();
        TestServer server = new TestServer(connectors::http);
        server.connector().addBean(new Connection.Listener() {
            private volatile Thread opening;

            @Override
            public void onOpened(Connection connection) {
                opening = Thread.currentThread();
                connection.getEndPoint().close();
            }

            @Override
            public void onClosed(Connection connection) {
                if (Thread.currentThread() != opening) {
                    Await.until("opened", () -> !isIn(opening, "connectionOpened"));
                }
                stillThere.complete(server.connector().getConnectedEndPoints().contains(connection.getEndPoint()));
            }
        });
        try (server;
                RawClient client = server.start(hello).client()) {
            assertEquals(-1, client.read());
            assertTrue(stillThere.get(30, TimeUnit.SECONDS));
            server.awaitNoEndPoints();
        }
    }

    /** The thread that opens a connection may find it closed by another, which has not yet told of it. */
    @Test
    void isConnectedUntilSomebodyElseHasToldOfItsEnd() throws Exception {
        CompletableFuture<Boolean> stillThere = new CompletableFuture<>();
        TestServer server = new TestServer(s -> connectors.on(s, new PassiveProtocol() {
            @Override
            Passive newPassive(Connector connector, EndPoint endPoint) {
                return new PassiveConnection(endPoint, connector) {
                    private volatile Thread opening;

                    @Override
                    public void onOpen() {
                        super.onOpen();
                        opening = Thread.currentThread();
                        fillInterested();
                        new Thread(endPoint::close).start();
                        Await.until("closing", () -> !endPoint.isOpen());
                    }

                    @Override
                    public void onFillInterestedFailed(Throwable cause) {
                        Await.until("opened", () -> !isIn(opening, "connectionOpened") && !isIn(opening, "opened"));
                    }

                    @Override
                    public void onClose(Throwable cause) {
                        stillThere.complete(connector.getConnectedEndPoints().contains(endPoint));
                        super.onClose(cause);
                    }
                };
            }
        }));
        try (server;
                RawClient client = server.start(hello).client()) {
            assertTrue(stillThere.get(30, TimeUnit.SECONDS));
            assertEquals(-1, client.read());
            server.awaitNoEndPoints();
        }
    }
}
