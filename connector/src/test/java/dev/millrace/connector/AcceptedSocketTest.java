package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.function.Function;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A connector that configures the sockets it accepts by a method of its own, as Jetty lets it. */
@Timeout(60)
class AcceptedSocketTest {
    private static void keepAlive(Socket socket) {
        try {
            socket.setKeepAlive(true);
        } catch (SocketException x) {
            throw new UncheckedIOException(x);
        }
    }

    private static class KeepingAlive extends BioConnector {
        KeepingAlive(Server server) {
            super(server);
        }

        @Override
        protected void configure(Socket socket) {
            super.configure(socket);
            keepAlive(socket);
        }
    }

    static Stream<Function<Server, ServerConnector>> connectors() {
        return Stream.of(
                server -> new ServerConnector(server) {
                    @Override
                    protected void configure(Socket socket) {
                        super.configure(socket);
                        keepAlive(socket);
                    }
                },
                server -> new NioConnector(server) {
                    @Override
                    protected void configure(Socket socket) {
                        super.configure(socket);
                        keepAlive(socket);
                    }
                },
                KeepingAlive::new,
                server -> new KeepingAlive(server) {});
    }

    @ParameterizedTest
    @MethodSource("connectors")
    void configuresSocketsItself(Function<Server, ServerConnector> connector) throws Exception {
        try (TestServer server = new TestServer(connector)) {
            server.start(Handlers.hello());
            try (RawClient client = server.client()) {
                assertEquals("hello", client.get("/").answer().text());
                SocketChannel accepted =
                        (SocketChannel) server.events().last().getEndPoint().getTransport();
                assertTrue(accepted.getOption(StandardSocketOptions.SO_KEEPALIVE));
                assertTrue(accepted.getOption(StandardSocketOptions.TCP_NODELAY));
            }
        }
    }
}
