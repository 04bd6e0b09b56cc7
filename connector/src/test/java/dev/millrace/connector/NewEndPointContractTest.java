package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server that embeds a connector may have a say in its end points: {@code newEndPoint} is overridden as that of
 * Jetty's connector.
 */
@Timeout(60)
class NewEndPointContractTest {
    private static final long IDLE_MILLIS = 12_345;

    /** What an override does with an end point. */
    private interface Setup {
        SocketChannelEndPoint of(SocketChannelEndPoint made) throws IOException;
    }

    private static final class Stock extends ServerConnector {
        private final Setup setup;

        private Stock(Server server, Setup setup) {
            super(server, 1, 1);
            this.setup = setup;
        }

        @Override
        protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key)
                throws IOException {
            return setup.of(super.newEndPoint(channel, selector, key));
        }
    }

    private static final class Nio extends NioConnector {
        private final Setup setup;

        private Nio(Server server, Setup setup) {
            super(server, 1, 1);
            this.setup = setup;
        }

        @Override
        protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key)
                throws IOException {
            return setup.of(super.newEndPoint(channel, selector, key));
        }
    }

    private static final class Bio extends BioConnector {
        private final Setup setup;

        private Bio(Server server, Setup setup) {
            super(server);
            this.setup = setup;
        }

        @Override
        protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key)
                throws IOException {
            return setup.of(super.newEndPoint(channel, selector, key));
        }
    }

    /** Answers with the idle timeout of its connection. */
    private final Handler idle =
            Handlers.text(request -> Long.toString(EndPoints.of(request).getIdleTimeout()));

    static Stream<Named<BiFunction<Server, Setup, ServerConnector>>> connectors() {
        return Stream.of(Named.of("Jetty's", Stock::new), Named.of("NIO", Nio::new), Named.of("BIO", Bio::new));
    }

    @ParameterizedTest
    @MethodSource("connectors")
    void setsUpEachEndPoint(BiFunction<Server, Setup, ServerConnector> connectors) throws Exception {
        Set<SocketAddress> peers = ConcurrentHashMap.newKeySet();
        Setup setup = endPoint -> {
            endPoint.setIdleTimeout(IDLE_MILLIS);
            peers.add(endPoint.getRemoteSocketAddress());
            return endPoint;
        };
        try (TestServer server = new TestServer(s -> connectors.apply(s, setup)).start(idle);
                RawClient one = server.client();
                RawClient other = server.client()) {
            assertEquals(Long.toString(IDLE_MILLIS), one.get("/").answer().text());
            assertEquals(Long.toString(IDLE_MILLIS), other.get("/").answer().text());
            assertEquals(
                    Set.of(one.socket().getLocalSocketAddress(), other.socket().getLocalSocketAddress()), peers);
        }
    }

    @ParameterizedTest
    @MethodSource("connectors")
    void mayRefuseAConnection(BiFunction<Server, Setup, ServerConnector> connectors) throws Exception {
        Set<SocketAddress> refused = ConcurrentHashMap.newKeySet();
        Setup setup = endPoint -> {
            if (refused.isEmpty()) {
                refused.add(endPoint.getRemoteSocketAddress());
                throw new IOException("not this one");
            }
            return endPoint;
        };
        try (TestServer server = new TestServer(s -> connectors.apply(s, setup)).start(idle)) {
            try (RawClient first = server.client()) {
                assertEquals(-1, first.read());
                assertEquals(Set.of(first.socket().getLocalSocketAddress()), refused);
            }
            try (RawClient second = server.client()) {
                assertEquals("30000", second.get("/").answer().text());
            }
        }
    }

    @Test
    void theBlockingConnectorSaysThatItNeedsItsOwn() throws Exception {
        Setup setup = made -> new SocketChannelEndPoint(made.getChannel(), null, null, null);
        try (Logged log = new Logged("org.eclipse.jetty.server.AbstractConnector");
                TestServer server = new TestServer(s -> new Bio(s, setup)).start(idle);
                RawClient client = server.client()) {
            assertEquals(-1, client.read());
            assertEquals(1, log.count("has to return what BioConnector's returns"));
        }
    }
}
