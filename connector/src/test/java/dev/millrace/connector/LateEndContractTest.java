package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.eclipse.jetty.io.Connection;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A look decides on several ends, and one of them is held up by the application: what has changed meanwhile counts. */
@Timeout(60)
class LateEndContractTest {
    private static final int CLIENTS = 3;

    /** Holds up the first end of a connection. */
    private static final class Slow implements Connection.Listener {
        private final CountDownLatch release = new CountDownLatch(1);
        private final AtomicReference<Thread> held = new AtomicReference<>();
        private volatile int port;

        @Override
        public void onClosed(Connection connection) {
            if (held.get() == null) {
                port = ((InetSocketAddress) connection.getEndPoint().getRemoteSocketAddress()).getPort();
                held.set(Thread.currentThread());
                try {
                    release.await();
                } catch (InterruptedException x) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private static boolean runsEnds(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().endsWith(".PeerEnd"));
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void aHeadThatHasComeMeanwhileIsAnswered(Connectors connectors) throws Exception {
        TestServer server = new TestServer(connectors::http);
        WatchClock clock = new WatchClock(server);
        Slow slow = new Slow();
        server.connector().addBean(slow);
        Map<Integer, RawClient> clients = new HashMap<>();
        try (server) {
            server.start(Handlers.hello());
            for (int i = 0; i < CLIENTS; i++) {
                RawClient client = server.client();
                clients.put(client.socket().getLocalPort(), client);
            }
            server.awaitEndPoints(CLIENTS);
            clock.pass(1);
            for (RawClient client : clients.values()) {
                // With an empty line a request begins.
                client.send("\r\n");
            }
            Await.until(
                    "read",
                    () -> server.connector().getConnectedEndPoints().stream()
                            .allMatch(endPoint -> endPoint.getConnection().getBytesIn() == 2));
            clock.pass(31);
            Await.until("an end is held up", () -> slow.held.get() != null);
            clients.remove(slow.port).close();
            // They ask, 32 s after their empty lines, and are answered: no look finds them late any more.
            for (RawClient client : clients.values()) {
                assertEquals("hello", client.get("/").answer().text());
            }
            clock.pass(1);
            slow.release.countDown();
            Await.until("the ends of that look are over", () -> !runsEnds(slow.held.get()));
            assertEquals(1, server.millrace().getSlowHeads());
            for (RawClient client : clients.values()) {
                assertEquals("hello", client.get("/").answer().text());
            }
        } finally {
            slow.release.countDown();
            for (RawClient client : clients.values()) {
                client.close();
            }
        }
    }
}
