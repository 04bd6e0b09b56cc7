package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.VirtualThreads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Descriptors and threads after many connections, after many slow ones, and after many starts and stops: none more than before. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@DisabledOnOs(OS.WINDOWS)
@Timeout(120)
class LeftDescriptorsTest {
    /** The variants of a selector connector differ in who handles what was accepted: fewer do for them. */
    private static final int CONNECTIONS = 10_000;

    private static final int FEWER_CONNECTIONS = 2_000;
    private static final int RESTARTS = 100;
    private static final int CLIENTS = 4;
    private static final int SLOW_PEERS = 300;

    @Parameter
    Connectors connectors;

    private static final Handler HELLO = Handlers.hello();

    private static long descriptors() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getOpenFileDescriptorCount();
    }

    /** All but those of the JVM, carriers of virtual threads among them, and of who runs the tests: they come when they are needed. */
    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> {
                    ThreadGroup group = thread.getThreadGroup();
                    // Without a group it has ended by now.
                    return group != null
                            && group.getParent() != null
                            && !group.getName().equals("InnocuousThreadGroup")
                            && !(thread instanceof ForkJoinWorkerThread)
                            && !thread.getName().matches("(junit|surefire)-.*");
                })
                .collect(Collectors.toSet());
    }

    private static String more(Set<Thread> before) {
        return threads().stream()
                .filter(thread -> !before.contains(thread))
                .map(thread -> thread + " " + Arrays.toString(thread.getStackTrace()))
                .collect(Collectors.joining("\n"));
    }

    /** Ends in one of four ways: by the server, by a reset, by the client, by the client without a request. */
    private static void connect(int port, int number) throws Exception {
        Socket socket = new Socket();
        // More addresses: more pairs of ports, however many of them the system still keeps.
        socket.bind(new InetSocketAddress(
                InetAddress.getByAddress(new byte[] {127, 0, 1, (byte) (number % 100 + 1)}), 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port), 10_000);
        try (RawClient client = new RawClient(socket)) {
            switch (number % 4) {
                case 0 -> {
                    client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                    assertEquals("hello", client.answer().text());
                    assertEquals(-1, client.read());
                }
                case 1 -> {
                    assertEquals("hello", client.get("/").answer().text());
                    socket.setSoLinger(true, 0);
                }
                case 2 -> assertEquals("hello", client.get("/").answer().text());
                default -> {
                    // Comes and goes.
                }
            }
        }
    }

    private static void connectAll(int port, int count) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            CompletableFuture<?>[] all = new CompletableFuture<?>[CLIENTS];
            for (int i = 0; i < CLIENTS; i++) {
                int first = i;
                all[i] = CompletableFuture.runAsync(
                        () -> {
                            try {
                                for (int number = first; number < count; number += CLIENTS) {
                                    connect(port, number);
                                }
                            } catch (Exception x) {
                                throw new IllegalStateException(x);
                            }
                        },
                        clients);
            }
            CompletableFuture.allOf(all).get(100, TimeUnit.SECONDS);
        } finally {
            clients.shutdown();
        }
    }

    private static void awaitAsBefore(long descriptors) {
        Await.until(
                "descriptors as before: " + descriptors,
                () -> descriptors() <= descriptors,
                () -> "but " + descriptors());
    }

    private static void awaitAsBefore(Set<Thread> threads) {
        Await.until("no more threads than before", () -> threads.containsAll(threads()), () -> more(threads));
    }

    // One that has been accepted and is no end point yet is neither.
    private static void awaitNothingLeft(TestServer server, long total) {
        Await.until(
                "all accepted: " + total,
                () -> server.connections().getConnectionsTotal() == total,
                () -> "but " + server.connections().getConnectionsTotal());
        server.awaitNoEndPoints();
    }

    /** The JDK's thread for timed waits of virtual threads begins with the first of them, and stays. */
    @BeforeEach
    void letAVirtualThreadWait() {
        Executor virtual = VirtualThreads.getDefaultVirtualThreadsExecutor();
        if (virtual != null) {
            CompletableFuture.runAsync(() -> LockSupport.parkNanos(1), virtual).join();
        }
    }

    @Test
    void leavesNothingOfManyConnections() throws Exception {
        Set<Thread> threads = threads();
        boolean many = connectors.name().startsWith("BIO") || connectors == Connectors.NIO;
        int connections = many ? CONNECTIONS : FEWER_CONNECTIONS;
        try (TestServer server = new TestServer(connectors::http)) {
            server.connector().setAcceptQueueSize(1000);
            server.start(HELLO);
            connectAll(server.port(), 100);
            awaitNothingLeft(server, 100);
            long before = descriptors();
            connectAll(server.port(), connections);
            awaitNothingLeft(server, 100 + connections);
            awaitAsBefore(before);
        }
        awaitAsBefore(threads);
    }

    /** Of peers that the server has ended, for each was slower than it may be. */
    @Test
    void leavesNothingOfManySlowPeers() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty's own lets them trickle");
        Set<Thread> threads = threads();
        // Their heads end early. The finder's lead has a limit, and all end at once.
        try (TestServer server = new TestServer(connectors::http).expectMalformedRequests()) {
            server.connector().setAcceptQueueSize(1000);
            server.sweeper().setPeriodMillis(50);
            server.start(HELLO);
            connectAll(server.port(), 100);
            awaitNothingLeft(server, 100);
            long before = descriptors();
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < SLOW_PEERS; i++) {
                clients.add(server.client().send("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: "));
            }
            server.awaitEndPoints(SLOW_PEERS);
            trickleUntilEnded(server, clients);
            server.awaitNoEndPoints();
            for (RawClient client : clients) {
                client.close();
            }
            awaitAsBefore(before);
        }
        awaitAsBefore(threads);
    }

    private static void trickleUntilEnded(TestServer server, List<RawClient> clients) {
        MillraceConnector connector = server.millrace();
        ConnectionSweeper slowPeers = connector.getBean(ConnectionSweeper.class);
        // Not before: on a busy machine it takes longer until all have come.
        connector.setRequestHeadTimeoutMillis(200);
        for (int round = 0; round < 100 && connector.getSlowHeads() < SLOW_PEERS; round++) {
            for (RawClient client : clients) {
                try {
                    client.send("x");
                } catch (IOException ended) {
                    // That is what it waits for.
                }
            }
            long now = slowPeers.getLooks();
            Await.until("next look", () -> slowPeers.getLooks() > now);
        }
        Await.until("all ended", () -> connector.getSlowHeads() == SLOW_PEERS, () -> "but " + connector.getSlowHeads());
    }

    @Test
    void leavesNothingOfAHundredStarts() throws Exception {
        TestServer server = new TestServer(connectors::http);
        long descriptors = Long.MAX_VALUE;
        Set<Thread> threads = threads();
        RawClient[] clients = new RawClient[4];
        for (int i = 0; i <= RESTARTS; i++) {
            server.start(HELLO);
            for (int k = 0; k < clients.length; k++) {
                clients[k] = server.client().get("/");
            }
            // The others may still have to be accepted, or have a request in hand. Not where there are selectors:
            // Jetty's lose what is accepted while they stop.
            int answered = server.connector() instanceof BioConnector ? 1 : clients.length;
            for (int k = 0; k < answered; k++) {
                assertEquals("hello", clients[k].answer().text());
            }
            server.close();
            for (RawClient client : clients) {
                client.close();
            }
            if (i == 0) {
                descriptors = descriptors();
            }
        }
        awaitAsBefore(descriptors);
        awaitAsBefore(threads);
    }
}
