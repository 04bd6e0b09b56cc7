package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A connector that stops loses no connection that the system has already accepted. */
class StopRaceTest {
    static List<Function<Server, MillraceConnector>> connectors() {
        return List.of(
                BioConnector::new,
                NioConnector::new,
                server -> new NioConnector(server, 0, 1, new HttpConnectionFactory()));
    }

    @ParameterizedTest
    @MethodSource("connectors")
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
