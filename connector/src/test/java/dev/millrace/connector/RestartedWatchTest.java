package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The watch over slow peers of a connector that was stopped while its pool had no thread, and was started again. */
@Timeout(60)
class RestartedWatchTest {
    private static final int LONG_SECONDS = 40;

    private final ForgetfulPool pool = new ForgetfulPool();

    /** Loses what a thread gives to it, as any pool does with what has no thread when it stops. */
    private static final class ForgetfulPool extends QueuedThreadPool {
        private volatile @Nullable Thread forgotten;

        @Override
        public void execute(Runnable task) {
            if (Thread.currentThread() != forgotten) {
                super.execute(task);
            }
        }
    }

    private static RawClient post(TestServer server) throws Exception {
        RawClient client = server.client().send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n");
        // In this order: what has awaited the head awaits no more by the time it is counted.
        Await.until(
                "waits for content",
                () -> server.connector().getConnectedEndPoints().stream()
                        .anyMatch(endPoint -> endPoint.getConnection().getBytesIn() > 0
                                && ((MonitoredEndPoint) endPoint).awaitsRead()));
        return client;
    }

    @Test
    void endsNoRequestForAShortageOfBefore() throws Exception {
        TestServer server =
                new TestServer(s -> new NioConnector(s, pool, null, null, 1, 1, new HttpConnectionFactory()));
        NioConnector connector = (NioConnector) server.connector();
        ConnectionSweeper watch = connector.getBean(ConnectionSweeper.class);
        WatchClock clock = new WatchClock(server);
        try (server) {
            server.start(Handlers.wholeContent());
            try (RawClient client = post(server)) {
                pool.forgotten = Thread.currentThread();
                watch.look();
                pool.forgotten = null;
                assertFalse(watch.hasPoolAnswered());
                assertEquals("ab", client.send("ab").answer().text());
            }
            server.server().stop();
            server.server().start();
            try (RawClient slow = post(server)) {
                clock.pass(LONG_SECONDS);
                assertEquals(0, connector.getSlowRequests());
                assertEquals("ab", slow.send("ab").answer().text());
            }
        }
    }
}
