package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pool that takes no more tasks: the connections whose requests nobody can serve are closed, the others served. */
@Timeout(60)
class RejectedTaskTest {
    private static final int THREADS = 8;
    private static final int QUEUE = 4;
    private static final int CLIENTS = 3 * (THREADS + QUEUE);

    private final CountDownLatch release = new CountDownLatch(1);
    private final Handler handler = Handlers.text(request -> {
        release.await();
        return "fine";
    });

    /** Ended, though no client has: before the connection was opened, or after. */
    private static AtomicInteger countRefused(ServerConnector connector) {
        AtomicInteger refused = new AtomicInteger();
        connector.addBean(new Connection.Listener() {
            @Override
            public void onClosed(Connection connection) {
                refused.incrementAndGet();
            }
        });
        connector.addBean(new SelectorManager.AcceptListener() {
            @Override
            public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
                refused.incrementAndGet();
            }
        });
        return refused;
    }

    @ParameterizedTest
    @EnumSource(names = {"STOCK", "NIO", "NIO_HANDOFF"})
    void closesTheConnection(Connectors connectors) throws Exception {
        QueuedThreadPool pool = new QueuedThreadPool(THREADS, THREADS, 60_000, new ArrayBlockingQueue<>(QUEUE));
        // Its queue has no room for the jobs that tell all its idle threads to end: it interrupts the others after half
        // of this.
        pool.setStopTimeout(500);
        Server server = new Server(pool);
        ServerConnector connector = connectors.http(server);
        connector.setHost("127.0.0.1");
        AtomicInteger refused = countRefused(connector);
        server.addConnector(connector);
        server.setHandler(handler);
        server.start();
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new RawClient(connector.getLocalPort()).get("/"));
            }
            Await.until("some are refused", () -> refused.get() > 0);
            release.countDown();
            int served = 0;
            for (RawClient client : clients) {
                served += client.read() == 'H' ? 1 : 0;
            }
            assertTrue(served > 0 && served < CLIENTS, served + " of " + CLIENTS);
            try (RawClient after = new RawClient(connector.getLocalPort())) {
                assertEquals("fine", after.get("/").answer().text());
            }
        } finally {
            release.countDown();
            for (RawClient client : clients) {
                client.close();
            }
            Await.until("none left", () -> connector.getConnectedEndPoints().isEmpty());
            server.stop();
        }
    }
}
