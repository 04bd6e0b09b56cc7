package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SocketCustomizationListener;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The listening socket, and what a connector tells of the sockets that it accepts. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class SocketContractTest {

    @TempDir
    Path directory;

    @Parameter
    Connectors connectors;

    private static void assertServes(TestServer server) throws Exception {
        try (RawClient client = server.client()) {
            assertEquals("hello", client.get("/").answer().text());
        }
    }

    @Test
    void opensOnceAndBeforeItStarts() throws Exception {
        TestServer server = new TestServer(connectors::http);
        ServerConnector connector = server.connector();
        connector.close();
        connector.open();
        int port = connector.getLocalPort();
        assertTrue(port > 0);
        connector.open();
        assertEquals(port, connector.getLocalPort());
        try (server) {
            server.start(Handlers.hello());
            assertEquals(port, connector.getLocalPort());
            assertServes(server);
        }
        assertFalse(connector.isOpen());
    }

    @Test
    void takesOverAChannel() throws Exception {
        TestServer server = new TestServer(connectors::http);
        ServerSocketChannel channel = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
        server.connector().open(channel);
        try (server) {
            server.start(Handlers.hello());
            assertEquals(channel.socket().getLocalPort(), server.port());
            assertServes(server);
        }
        assertFalse(channel.isOpen());
    }

    @Test
    void refusesAUnixDomainChannel() throws Exception {
        TestServer server = new TestServer(connectors::http);
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
            Exception refusal =
                    assertThrows(Exception.class, () -> server.connector().open(channel));
            if (connectors != Connectors.STOCK) {
                assertTrue(refusal.getMessage().contains("UnixDomainServerConnector"), refusal.getMessage());
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void sharesAPort() throws Exception {
        TestServer one = new TestServer(connectors::http);
        TestServer two = new TestServer(connectors::http);
        one.connector().setReusePort(true);
        two.connector().setReusePort(true);
        try (one;
                two) {
            one.start(Handlers.hello());
            two.connector().setPort(one.port());
            two.start(Handlers.hello());
            // The system chooses by a hash of the client's port.
            for (int i = 0;
                    i < 200 && (one.events().opened() == 0 || two.events().opened() == 0);
                    i++) {
                assertServes(one);
            }
            assertTrue(one.events().opened() > 0 && two.events().opened() > 0);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void setsTheOptionsOfItsSockets() throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.connector().setReuseAddress(false);
        server.connector().setAcceptedTcpNoDelay(false);
        server.connector().setAcceptedReceiveBufferSize(30_000);
        server.connector().setAcceptedSendBufferSize(40_000);
        try (server) {
            server.start(Handlers.hello());
            ServerSocketChannel listening =
                    (ServerSocketChannel) server.connector().getTransport();
            assertFalse(listening.getOption(StandardSocketOptions.SO_REUSEADDR));
            try (RawClient client = server.client()) {
                assertEquals("hello", client.get("/").answer().text());
                SocketChannel accepted =
                        (SocketChannel) server.events().last().getEndPoint().getTransport();
                assertFalse(accepted.getOption(StandardSocketOptions.TCP_NODELAY));
                assertEquals(30_000, accepted.getOption(StandardSocketOptions.SO_RCVBUF));
                assertEquals(40_000, accepted.getOption(StandardSocketOptions.SO_SNDBUF));
            }
        }
    }

    @Test
    void reusesAnAddressAndSendsAtOnceUnlessToldOtherwise() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(Handlers.hello());
                RawClient client = server.client()) {
            ServerSocketChannel listening =
                    (ServerSocketChannel) server.connector().getTransport();
            assertTrue(listening.getOption(StandardSocketOptions.SO_REUSEADDR));
            assertEquals("hello", client.get("/").answer().text());
            SocketChannel accepted =
                    (SocketChannel) server.events().last().getEndPoint().getTransport();
            assertTrue(accepted.getOption(StandardSocketOptions.TCP_NODELAY));
        }
    }

    /** One may be accepted before the acceptor pauses, and Linux lets one more wait than asked for. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void letsAsManyWaitAsItIsTold() throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptQueueSize(2);
        try (server) {
            server.start(Handlers.hello());
            server.connector().setAccepting(false);
            awaitSelectors(server.connector());
            List<Socket> waiting = new ArrayList<>();
            while (connects(server.port(), waiting)) {
                assertTrue(waiting.size() <= 5, "more than may wait");
            }
            assertTrue(waiting.size() >= 2, "fewer than may wait: " + waiting.size());
            server.connector().setAccepting(true);
            // Jetty's connector forgets to close a connection that it accepts while it stops.
            for (Socket socket : waiting) {
                try (RawClient client = new RawClient(socket)) {
                    assertEquals("hello", client.get("/").answer().text());
                }
            }
            server.awaitNoEndPoints();
        }
    }

    /** Selectors that accept are told by a task to pause: waits until each has run what came before. */
    private static void awaitSelectors(ServerConnector connector) throws InterruptedException {
        Collection<ManagedSelector> selectors = connector.getAcceptors() > 0
                ? List.of()
                : connector.getSelectorManager().getBeans(ManagedSelector.class);
        CountDownLatch told = new CountDownLatch(selectors.size());
        selectors.forEach(selector -> selector.submit(keys -> told.countDown()));
        assertTrue(told.await(30, TimeUnit.SECONDS), "the selectors run their tasks");
    }

    private static boolean connects(int port, List<Socket> waiting) throws Exception {
        Socket socket = new Socket();
        try {
            // A busy machine may need some of it. After a second Linux would ask again.
            socket.connect(new InetSocketAddress("127.0.0.1", port), 500);
            return waiting.add(socket);
        } catch (SocketTimeoutException full) {
            socket.close();
            return false;
        }
    }

    @Test
    void letsJettysListenerCustomizeTheSocket() throws Exception {
        List<Class<?>> customized = new CopyOnWriteArrayList<>();
        TestServer server = new TestServer(connectors::http);
        server.connector().addBean(new SocketCustomizationListener() {
            @Override
            protected void customize(Socket socket, Class<? extends Connection> connection, boolean ssl) {
                try {
                    socket.setTrafficClass(0x10);
                    customized.add(connection);
                } catch (SocketException x) {
                    throw new IllegalStateException(x);
                }
            }
        });
        try (server;
                RawClient client = server.start(Handlers.hello()).client()) {
            assertEquals("hello", client.get("/").answer().text());
            assertEquals(List.of(HttpConnection.class), customized);
            SocketChannel accepted =
                    (SocketChannel) server.events().last().getEndPoint().getTransport();
            assertEquals(0x10, accepted.getOption(StandardSocketOptions.IP_TOS));
        }
    }

    @Test
    void acceptsOnTwoThreads() throws Exception {
        TestServer server = new TestServer(s -> twoAcceptors(s));
        try (server) {
            server.start(Handlers.hello());
            assertEquals(2, server.connector().getAcceptors());
            for (int i = 0; i < 50; i++) {
                assertServes(server);
            }
        }
    }

    private ServerConnector twoAcceptors(Server server) {
        HttpConnectionFactory http = new HttpConnectionFactory();
        return switch (connectors) {
            case STOCK -> new ServerConnector(server, 2, 1, http);
            case NIO, NIO_HANDOFF, NIO_SELECTOR -> new NioConnector(server, 2, 1, http);
            default -> new BioConnector(server, 2, http);
        };
    }

    @Test
    void endsItsAcceptorsWhenItIsClosed() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "asks a closed channel again and again, until it stops");
        TestServer server = new TestServer(connectors::http);
        assumeTrue(server.connector().getAcceptors() > 0, "its selector accepts");
        try (server) {
            server.start(Handlers.hello());
            try (RawClient client = server.client()) {
                assertEquals("hello", client.get("/").answer().text());
                assertTrue(hasAcceptor(server));
                server.connector().close();
                Await.until("no acceptor", () -> !hasAcceptor(server));
                assertEquals("hello", client.get("/").answer().text());
            }
        }
    }

    static boolean hasAcceptor(TestServer server) {
        String name = Integer.toHexString(server.connector().hashCode());
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(t -> t.getName().contains("acceptor") && t.getName().contains(name));
    }

    @Test
    void tellsOfAcceptingInJettysOrder() throws Exception {
        List<String> events = new CopyOnWriteArrayList<>();
        TestServer server = new TestServer(connectors::http);
        server.connector().addBean(new SelectorManager.AcceptListener() {
            @Override
            public void onAccepting(SelectableChannel channel) {
                events.add("accepting");
            }

            @Override
            public void onAccepted(SelectableChannel channel) {
                events.add("accepted");
            }

            @Override
            public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
                events.add("failed");
            }

            @Override
            public void onClosed(SelectableChannel channel) {
                events.add("closed");
            }
        });
        CompletableFuture<Boolean> stillThere = new CompletableFuture<>();
        server.connector().addBean(new Connection.Listener() {
            @Override
            public void onClosed(Connection connection) {
                stillThere.complete(server.connector().getConnectedEndPoints().contains(connection.getEndPoint()));
            }
        });
        try (server) {
            server.start(Handlers.hello());
            assertServes(server);
            Await.until("told", () -> events.size() == 3);
            assertTrue(stillThere.get(30, TimeUnit.SECONDS), "first the connection is closed, then its end point");
        }
        assertEquals(List.of("accepting", "accepted", "closed"), events);
    }

    @Test
    void countsAsJettyDoes() throws Exception {
        TestServer server = new TestServer(connectors::http);
        try (server) {
            server.start(Handlers.hello());
            for (int i = 0; i < 3; i++) {
                try (RawClient client = server.client()) {
                    assertEquals("hello", client.get("/").answer().text());
                    assertEquals("hello", client.get("/").answer().text());
                }
            }
            server.awaitNoEndPoints();
            Await.until("told", () -> server.connections().getConnections() == 0);
            assertEquals(3, server.connections().getConnectionsTotal());
            assertEquals(6, server.connections().getReceivedMessages());
            assertEquals(6, server.connections().getSentMessages());
            assertEquals(
                    6L * "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".length(),
                    server.connections().getReceivedBytes());
        }
    }

    @Test
    void shortensTheTimeoutOfAReadThatWaits() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(Handlers.hello());
                RawClient client = server.client()) {
            assertEquals("hello", client.get("/").answer().text());
            EndPoint endPoint = server.events().last().getEndPoint();
            Await.until("waits", endPoint::isFillInterested);
            endPoint.setIdleTimeout(100);
            assertEquals(-1, client.read());
            server.awaitNoEndPoints();
        }
    }

    @Test
    void answersWhoClosesItsHalfWhileTheHandlerRuns() throws Exception {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (TestServer server = new TestServer(connectors::http).start(Handlers.late(handling, release));
                RawClient client = server.client()) {
            client.get("/");
            assertTrue(handling.await(30, TimeUnit.SECONDS));
            client.shutdownOutput();
            release.countDown();
            assertEquals("late", client.answer().text());
            assertEquals(-1, client.read());
            server.awaitNoEndPoints();
        }
    }
}
