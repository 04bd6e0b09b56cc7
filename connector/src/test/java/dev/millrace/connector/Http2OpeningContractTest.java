package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ReservedThreadExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The thread that opens a connection of HTTP/2 may handle its first request. Nobody waits for that request to hear of the end. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class Http2OpeningContractTest {
    @Parameter
    Connectors connectors;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch handling = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);

    /** Opens a connection when its first request has come. */
    private final class LateFactory extends HTTP2CServerConnectionFactory {
        private LateFactory() {
            super(new HttpConfiguration());
        }

        @Override
        public Connection newConnection(Connector connector, EndPoint endPoint) {
            try {
                assertTrue(asked.await(30, TimeUnit.SECONDS));
            } catch (InterruptedException x) {
                throw new IllegalStateException(x);
            }
            return super.newConnection(connector, endPoint);
        }
    }

    @Test
    void endsWhileItsFirstRequestIsHandled() throws Exception {
        LateFactory factory = new LateFactory();
        try (TestServer server =
                new TestServer(s -> connectors.on(s, factory)).start(Handlers.late(handling, release))) {
            // Then the thread that has read a request handles it, and that one reads on.
            QueuedThreadPool pool = (QueuedThreadPool) server.server().getThreadPool();
            ReservedThreadExecutor ready = pool.getBean(ReservedThreadExecutor.class);
            Await.until("a thread was made", () -> pool.tryExecute(() -> {}));
            Await.until("it stands ready", () -> ready.getAvailable() > 0);
            try (RawClient client = server.client()) {
                Http2Frames.get(client, "/");
                asked.countDown();
                assertTrue(handling.await(30, TimeUnit.SECONDS));
            }
            server.awaitNoEndPoints();
            assertEquals(1, server.events().opened());
            release.countDown();
        } finally {
            release.countDown();
        }
    }
}
