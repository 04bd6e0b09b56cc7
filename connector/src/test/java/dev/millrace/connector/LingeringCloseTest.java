package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.SelectorManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** How connections linger, and what ends that. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class LingeringCloseTest extends LingeringConnections {
    @Test
    void endsWithItsPeer() throws Exception {
        try (TestServer server = server().start(Handlers.hello());
                RawClient client = lingering(server)) {
            server.millrace().setLingeringCloseMillis(HOUR_MILLIS);
            assertEquals(1, server.millrace().getLingeringConnections());
            client.send("more");
            client.shutdownOutput();
            awaitLingering(server, 0);
            assertEquals(1, server.millrace().getLingeredConnections());
            assertEquals(0, server.millrace().getCutLingeringConnections());
        }
    }

    @Test
    void endsWhenItsPeerResets() throws Exception {
        try (TestServer server = server().start(Handlers.hello());
                RawClient client = lingering(server)) {
            client.socket().setSoLinger(true, 0);
            client.close();
            awaitLingering(server, 0);
            assertEquals(0, server.millrace().getCutLingeringConnections());
        }
    }

    @Test
    void isCutAfterItsBytes() throws Exception {
        TestServer server = server();
        server.millrace().setLingeringCloseMillis(HOUR_MILLIS);
        server.millrace().setLingeringCloseBytes(100_000);
        try (server;
                RawClient client = lingering(server.start(Handlers.hello()))) {
            client.send(new byte[90_000]);
            assertEquals(1, server.millrace().getLingeringConnections());
            assertThrows(IOException.class, () -> {
                while (true) {
                    client.send(new byte[10_000]);
                }
            });
            awaitLingering(server, 0);
            assertEquals(1, server.millrace().getCutLingeringConnections());
        }
    }

    /** An application's connector may be told of it, and throw. */
    @Test
    void endsAloneWhenWhoIsToldThrows() throws Exception {
        try (TestServer server = server().start(Handlers.hello());
                Logged logged = new Logged(LingeringClose.class.getName());
                ServerSocketChannel listening = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel peer = SocketChannel.open(listening.getLocalAddress());
                SocketChannel ended = listening.accept()) {
            LingeringClose.Lingering lingering =
                    server.connector().getBean(LingeringClose.class).take(ended);
            lingering.onEnd(() -> {
                throw new IllegalStateException("told");
            });
            lingering.begin(false);
            peer.close();
            Await.until("logged", () -> logged.count("IllegalStateException: told") > 0);
            assertEquals(1, logged.count("Cannot tell that"));
            assertEquals(0, logged.count("Closing all that linger"));
        }
    }

    /** Nobody may have more sockets of the server by letting them linger. */
    @Test
    void countsAsAConnection() throws Exception {
        TestServer server = server();
        assumeTrue(server.connector().getAcceptors() > 0, "maxConnections needs an acceptor");
        server.millrace().setMaxConnections(1);
        server.millrace().setLingeringCloseMillis(HOUR_MILLIS);
        AtomicInteger closed = new AtomicInteger();
        server.connector().addBean(new SelectorManager.AcceptListener() {
            @Override
            public void onClosed(SelectableChannel channel) {
                assertFalse(channel.isOpen());
                closed.incrementAndGet();
            }
        });
        try (server;
                RawClient client = lingering(server.start(Handlers.hello()));
                RawClient other = server.client().get("/")) {
            trickle(client);
            server.awaitNoEndPoints();
            Await.until("waits for a permit", LimitsContractTest::acceptorWaitsForAPermit);
            assertEquals(0, closed.get());
            assertEquals(1, server.events().opened());
            trickle.shutdown();
            client.close();
            assertEquals("hello", other.answer().text());
            // Told after those that count connections.
            Await.until("told", () -> closed.get() == 1);
        }
    }
}
