package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.Invocable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A connector that stops loses no connection that the system has already accepted. */
@Timeout(60)
class StopRaceTest {
    static List<Function<Server, MillraceConnector>> connectors() {
        return List.of(
                BioConnector::new,
                NioConnector::new,
                server -> new NioConnector(server, 0, 1, new HttpConnectionFactory()));
    }

    @ParameterizedTest
    @MethodSource("connectors")
    @Timeout(180)
    void closesWhatItAcceptsWhileItStops(Function<Server, MillraceConnector> connector) throws Exception {
        for (int round = 0; round < 40; round++) {
            TestServer server =
                    new TestServer(connector::apply).start(Handlers.declining(Invocable.InvocationType.NON_BLOCKING));
            RawClient[] clients = new RawClient[8];
            for (int i = 0; i < clients.length; i++) {
                clients[i] = server.client();
            }
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> stop(server));
            for (RawClient client : clients) {
                assertEquals(-1, client.read());
                client.close();
            }
            stopped.get();
        }
    }

    static List<Function<LastAccept, Function<Server, MillraceConnector>>> lastAccepts() {
        return List.of(
                last -> server -> new BioConnector(server) {
                    @Override
                    void acceptPermitted(int acceptorId) throws IOException {
                        last.begin();
                        super.acceptPermitted(acceptorId);
                    }
                },
                last -> server -> new NioConnector(server, 1, 1) {
                    @Override
                    void acceptPermitted(int acceptorId) throws IOException {
                        last.begin();
                        super.acceptPermitted(acceptorId);
                    }
                });
    }

    /** What it has just accepted would be lost with its descriptor, and the peer would wait for ever. */
    @ParameterizedTest
    @MethodSource("lastAccepts")
    void interruptsNoAcceptorThatStillAcceptsInAPause(
            Function<LastAccept, Function<Server, MillraceConnector>> connector) throws Exception {
        LastAccept last = new LastAccept();
        try (TestServer server = new TestServer(connector.apply(last)::apply)) {
            // A busy machine may hold up the acceptor for longer than a stop waits.
            server.millrace().stopMillis = 30_000;
            server.start(Handlers.hello());
            last.begun.await();
            server.connector().setAccepting(false);
            last.stopping.complete(Thread.currentThread());
            server.connector().stop();
            assertFalse(last.interrupted.get());
        }
    }

    private static final class LastAccept {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CompletableFuture<Thread> stopping = new CompletableFuture<>();
        private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

        /** Begins to accept, until the stop waits for that. */
        void begin() {
            begun.countDown();
            Thread waiting = stopping.join();
            while (waiting.getState() != Thread.State.TIMED_WAITING
                    && !Thread.currentThread().isInterrupted()) {
                Thread.yield();
            }
            interrupted.complete(Thread.currentThread().isInterrupted());
        }
    }

    // Jetty's own selector leaves such a connection open, for the peer and for the set of end points.
    @Test
    void closesWhatASelectorOpensAfterItsStop() throws Exception {
        SlowFactory factory = new SlowFactory();
        TestServer server = new TestServer(jetty -> new NioConnector(jetty, factory))
                .start(Handlers.declining(Invocable.InvocationType.NON_BLOCKING));
        try (server;
                RawClient client = server.client()) {
            factory.asked.await();
            server.connector().stop();
            factory.allowed.countDown();
            assertEquals(-1, client.read());
            server.awaitNoEndPoints();
        }
    }

    private static final class SlowFactory extends HttpConnectionFactory {
        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch allowed = new CountDownLatch(1);

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            asked.countDown();
            try {
                allowed.await();
            } catch (InterruptedException x) {
                Thread.currentThread().interrupt();
            }
            return super.newConnection(connector, endPoint);
        }
    }

    private static void stop(TestServer server) {
        try {
            server.close();
        } catch (Exception x) {
            throw new IllegalStateException(x);
        }
    }
}
