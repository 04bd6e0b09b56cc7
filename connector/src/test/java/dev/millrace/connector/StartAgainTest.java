package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A connector can be started after a start that failed, and after a stop in a pause. Jetty's own keeps the channel that it has closed, so that
 * it listens to nothing and says nothing of it. Without acceptors it keeps the port.
 */
@Timeout(60)
class StartAgainTest {
    private static TestServer server(Connectors connectors) {
        return new TestServer(jetty -> connectors.on(jetty, new HttpConnectionFactory()));
    }

    /** A port that no other program gets: it is bound, but nobody listens there. A server may, which allows addresses to be used again. */
    private static Socket heldPort() throws IOException {
        Socket held = new Socket();
        held.setReuseAddress(true);
        held.bind(new InetSocketAddress("127.0.0.1", 0));
        return held;
    }

    private static ServerSocket listener(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"));
    }

    private static void assertServes(TestServer server) throws Exception {
        try (RawClient client = server.client()) {
            assertEquals("hello", client.get("/").answer().text());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void whenThePortOfAnotherOneWasTaken(Connectors connectors) throws Exception {
        List<String> events = new ArrayList<>();
        try (Socket own = heldPort();
                Socket others = heldPort();
                TestServer server = server(connectors)) {
            server.connector().setPort(own.getLocalPort());
            server.connector().addEventListener(new NetworkConnector.Listener() {
                @Override
                public void onOpen(NetworkConnector connector) {
                    events.add("open");
                }

                @Override
                public void onClose(NetworkConnector connector) {
                    events.add("close");
                }
            });
            try (ServerSocket taken = listener(others.getLocalPort())) {
                ServerConnector other = new ServerConnector(server.server(), 1, 1);
                other.setHost("127.0.0.1");
                other.setPort(taken.getLocalPort());
                server.server().addConnector(other);
                assertThrows(IOException.class, () -> server.start(Handlers.hello()));
                listener(own.getLocalPort()).close();
            }
            server.server().start();
            assertServes(server);
            assertEquals(List.of("open", "close", "open"), events);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void whenItWasStoppedInAPause(Connectors connectors) throws Exception {
        try (Socket own = heldPort();
                TestServer server = server(connectors)) {
            server.connector().setPort(own.getLocalPort());
            server.start(Handlers.hello());
            server.connector().setAccepting(false);
            server.connector().stop();
            server.connector().start();
            server.connector().setAccepting(true);
            assertServes(server);
        }
    }

    private static final class Opened extends BioConnector {
        private ServerSocketChannel last;

        private Opened(Server server) {
            super(server, new HttpConnectionFactory());
        }

        @Override
        protected ServerSocketChannel openAcceptChannel() throws IOException {
            last = super.openAcceptChannel();
            return last;
        }
    }

    @Test
    void whatIsRefusedWhileItRunsIsClosed() throws Exception {
        try (TestServer server = new TestServer(Opened::new)) {
            server.start(Handlers.hello());
            Opened connector = (Opened) server.connector();
            connector.close();
            assertThrows(IllegalStateException.class, connector::open);
            assertFalse(connector.last.isOpen());
        }
    }
}
