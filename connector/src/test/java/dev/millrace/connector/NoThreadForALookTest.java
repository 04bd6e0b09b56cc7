package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.Await;
import dev.millrace.testing.ExhaustiblePool;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pool gets no more threads while its own wait for slow peers: these are looked at all the same. */
@Timeout(60)
class NoThreadForALookTest {
    private static final int CLIENTS = 20;

    private final AtomicInteger reading = new AtomicInteger();
    private final ExhaustiblePool pool = new ExhaustiblePool();
    private final List<RawClient> clients = new ArrayList<>();

    private final Handler handler = Handlers.text(request -> {
        reading.incrementAndGet();
        return Content.Source.asString(request);
    });

    @Test
    void allConnectionsAreLookedAt() throws Exception {
        TestServer server =
                new TestServer(s -> new NioConnector(s, pool, null, null, 1, 1, new HttpConnectionFactory()));
        ConnectionSweeper peers = server.sweeper();
        peers.setPeriodMillis(TimeUnit.HOURS.toMillis(1));
        try (server) {
            server.start(handler);
            for (int i = 0; i < CLIENTS; i++) {
                // Else the pool makes another, and may have one for each of them later.
                Await.until("a thread rests", () -> pool.getIdleThreads() > 0, pool::toString);
                clients.add(server.client());
                assertEquals("", clients.get(i).get("/").answer().text());
            }
            pool.setExhausted(true);
            reading.set(0);
            for (RawClient client : clients) {
                client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\na");
            }
            Await.until(
                    "all are read, or wait for a thread",
                    () -> reading.get() + pool.getQueueSize() >= CLIENTS
                            && server.connector().getConnectedEndPoints().stream()
                                    .anyMatch(EndPoint::isFillInterested),
                    pool::toString);
            assertTrue(pool.failures() > 0, pool::toString);
            peers.look();
            assertEquals(1, peers.getLooks());
            pool.setExhausted(false);
            for (RawClient client : clients) {
                client.send("b");
            }
            for (RawClient client : clients) {
                assertEquals("ab", client.answer().text());
                client.close();
            }
        }
    }
}
