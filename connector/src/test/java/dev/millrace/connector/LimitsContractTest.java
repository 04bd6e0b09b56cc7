package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.AcceptRateLimit;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.LowResourceMonitor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Too many peers, on the connectors of Millrace. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class LimitsContractTest {
    @Parameter
    Connectors connectors;

    private TestServer server() {
        return new TestServer(connectors::http);
    }

    @Test
    void letsPeersBeyondTheLimitWait() throws Exception {
        TestServer server = server();
        if (server.connector().getAcceptors() == 0) {
            server.millrace().setMaxConnections(2);
            assertThrows(IllegalStateException.class, () -> server.start(Handlers.hello()));
            server.server().stop();
            return;
        }
        server.millrace().setMaxConnections(2);
        AtomicInteger accepted = new AtomicInteger();
        server.connector().addBean(new SelectorManager.AcceptListener() {
            @Override
            public void onAccepting(SelectableChannel channel) {
                accepted.incrementAndGet();
            }
        });
        try (server) {
            server.start(Handlers.hello());
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                clients.add(server.client().get("/"));
            }
            Await.until("waits for a permit", LimitsContractTest::acceptorWaitsForAPermit);
            assertEquals(2, accepted.get());
            for (int i = 0; i < 6; i++) {
                assertEquals("hello", clients.get(i).answer().text());
                assertTrue(server.connector().getConnectedEndPoints().size() <= 2);
                assertTrue(accepted.get() <= i + 2, accepted + " accepted before client " + i + " left");
                clients.get(i).close();
            }
            server.awaitNoEndPoints();
        }
    }

    /** Whether no more connections are accepted, for as many are open as may be. */
    static boolean acceptorWaitsForAPermit() {
        return Thread.getAllStackTraces().values().stream()
                .map(Arrays::toString)
                .anyMatch(stack ->
                        stack.contains("ConnectionPermits.acquire(") && stack.contains("acquireUninterruptibly("));
    }

    @Test
    void countsAConnectionOnceThatIsClosedWhenItIsMade() throws Exception {
        AtomicBoolean closes = new AtomicBoolean();
        HttpConnectionFactory http = new HttpConnectionFactory() {
            @Override
            public Connection newConnection(Connector connector, EndPoint endPoint) {
                if (closes.get()) {
                    endPoint.close();
                }
                return super.newConnection(connector, endPoint);
            }
        };
        TestServer server = new TestServer(s -> connectors.on(s, http));
        assumeTrue(server.connector().getAcceptors() > 0, "a limit needs an acceptor");
        server.millrace().setMaxConnections(2);
        try (server;
                RawClient first = server.start(Handlers.hello()).client()) {
            assertEquals("hello", first.get("/").answer().text());
            closes.set(true);
            for (int i = 0; i < 3; i++) {
                try (RawClient refused = server.client()) {
                    assertEquals(-1, refused.read());
                }
            }
            closes.set(false);
            try (RawClient second = server.client()) {
                assertEquals("hello", second.get("/").answer().text());
                try (RawClient third = server.client()) {
                    third.get("/").socket().setSoTimeout(300);
                    assertThrows(SocketTimeoutException.class, () -> third.in().read());
                    second.close();
                    third.socket().setSoTimeout(30_000);
                    assertEquals("hello", third.answer().text());
                }
            }
        }
    }

    @Test
    void acceptsAgainRightAfterAPause() throws Exception {
        try (TestServer server = server().start(Handlers.hello())) {
            for (int i = 0; i < 50; i++) {
                server.connector().setAccepting(false);
                server.connector().setAccepting(true);
            }
            for (int i = 0; i < 3; i++) {
                try (RawClient client = server.client()) {
                    assertEquals("hello", client.get("/").answer().text());
                }
            }
            assertTrue(server.connector().isOpen());
        }
    }

    @Test
    void stopsWhileTheAcceptorWaitsForAPermit() throws Exception {
        TestServer server = server();
        assumeTrue(server.connector().getAcceptors() > 0, "a limit needs an acceptor");
        server.millrace().setMaxConnections(1);
        try (server;
                RawClient client = server.start(Handlers.hello()).client();
                RawClient other = server.client()) {
            assertEquals("hello", client.get("/").answer().text());
            Await.until("waits for a permit", LimitsContractTest::acceptorWaitsForAPermit);
            server.server().stop();
            client.readToEnd();
            other.readToEnd();
        }
    }

    /** Counts how often it stops the connectors from accepting, and lets them go on. */
    private static final class CountedRateLimit extends AcceptRateLimit {
        private final AtomicInteger limited = new AtomicInteger();
        private final AtomicInteger unlimited = new AtomicInteger();

        private CountedRateLimit(TestServer server) {
            super(1, 200, TimeUnit.MILLISECONDS, server.server());
        }

        @Override
        protected void limit() {
            limited.incrementAndGet();
            super.limit();
        }

        @Override
        protected void unlimit() {
            unlimited.incrementAndGet();
            super.unlimit();
        }
    }

    @Test
    void obeysJettysLimitOfTheAcceptRateAndAcceptsAgain() throws Exception {
        TestServer server = server();
        CountedRateLimit limit = new CountedRateLimit(server);
        server.server().addBean(limit);
        try (TestServer started = server.start(Handlers.hello())) {
            // On a busy machine two may come too far apart.
            for (int i = 0; i < 100 && limit.limited.get() == 0; i++) {
                answer(server);
            }
            assertTrue(limit.limited.get() > 0, "never limited");
            answer(server);
            // Jetty's selector accepts in a loop of its own, and may have been in it.
            assertTrue(
                    server.connector().getAcceptors() == 0 || limit.unlimited.get() > 0, "accepted beyond the limit");
            Await.until("accepts again", () -> server.connector().isAccepting());
        }
    }

    private static void answer(TestServer server) throws Exception {
        try (RawClient client = server.client()) {
            assertEquals("hello", client.get("/").answer().text());
        }
    }

    @Test
    void obeysJettysMonitorOfLowResources() throws Exception {
        TestServer server = server();
        LowResourceMonitor monitor = new LowResourceMonitor(server.server());
        monitor.setMonitoredConnectors(List.of(server.connector()));
        monitor.setMonitorThreads(false);
        monitor.setPeriod(100);
        monitor.setLowResourcesIdleTimeout(100);
        monitor.addLowResourceCheck(monitor.new MaxConnectionsLowResourceCheck(2));
        try (server) {
            server.start(Handlers.hello());
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                clients.add(server.client());
                assertEquals("hello", clients.get(i).get("/").answer().text());
            }
            // Not before: it would end them while they are being made.
            server.server().addManaged(monitor);
            Await.until(
                    "ended what is too many",
                    () -> server.connector().getConnectedEndPoints().size() <= 2);
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void jettysMonitorOfLowResourcesMayChangeWhileTheServerRuns() throws Exception {
        TestServer server = server();
        LowResourceMonitor monitor = new LowResourceMonitor(server.server());
        monitor.setPeriod(100);
        server.server().addManaged(monitor);
        try (server) {
            server.start(Handlers.hello());
            // Refused by Jetty once somebody listens to the monitor's beans.
            monitor.setMonitorThreads(!monitor.getMonitorThreads());
            monitor.setMaxMemory(1);
            Await.until("is low on memory", monitor::isLowOnResources);
        }
    }
}
