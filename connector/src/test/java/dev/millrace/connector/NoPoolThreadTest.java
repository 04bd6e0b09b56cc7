package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.ExhaustiblePool;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A pool that gets no more threads: requests wait for those that it has, a new client is refused, and nothing is left
 * of either.
 */
@Timeout(60)
class NoPoolThreadTest {
    private static final int CLIENTS = 20;
    private static final int REFUSED = 10;

    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();
    private final Handler handler = Handlers.waiting(waiting, release);

    private static ServerConnector connector(Connectors connectors, Server server, ExhaustiblePool pool) {
        if (connectors == Connectors.STOCK) {
            return new ServerConnector(server, pool, null, null, 1, 1, new HttpConnectionFactory());
        }
        NioConnector nio = new NioConnector(server, pool, null, null, 1, 1, new HttpConnectionFactory());
        nio.setDispatch(connectors == Connectors.NIO_HANDOFF ? "handoff" : "adaptive");
        return nio;
    }

    @ParameterizedTest
    @EnumSource(names = {"STOCK", "NIO", "NIO_HANDOFF"})
    void goesOnWithTheThreadsThatItHas(Connectors connectors) throws Exception {
        ExhaustiblePool pool = new ExhaustiblePool();
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = new TestServer(s -> connector(connectors, s, pool)).start(handler);
                AutoCloseable end = release::countDown) {
            for (int i = 0; i < CLIENTS; i++) {
                // Else the pool makes another, and may have one for each of them later.
                Await.until("a thread rests", () -> pool.getIdleThreads() > 0, pool::toString);
                clients.add(server.client());
                assertEquals("fine", clients.get(i).get("/").answer().text());
            }
            pool.setExhausted(true);
            for (RawClient client : clients) {
                client.get("/wait");
            }
            Await.until(
                    "all are handled, or wait for a thread",
                    () -> waiting.get() + pool.getQueueSize() >= CLIENTS,
                    pool::toString);
            assertTrue(pool.failures() > 0, pool::toString);
            for (int i = 0; i < REFUSED; i++) {
                try (RawClient refused = server.client().get("/")) {
                    assertEquals(-1, refused.read());
                }
            }
            server.awaitEndPoints(CLIENTS);
            release.countDown();
            for (RawClient client : clients) {
                assertEquals("fine", client.answer().text());
            }
            pool.setExhausted(false);
            try (RawClient after = server.client()) {
                assertEquals("fine", after.get("/").answer().text());
            }
            for (RawClient client : clients) {
                assertEquals("fine", client.get("/").answer().text());
                client.close();
            }
            server.awaitNoEndPoints();
            Await.until("no thread stays", () -> waiting.get() == 0 && pool.getQueueSize() == 0);
        }
        assertEquals(0, pool.getThreads());
    }
}
