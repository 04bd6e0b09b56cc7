package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** For how long connections linger whose peers do not end them. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Execution(ExecutionMode.CONCURRENT)
class LingeringTimeTest extends LingeringConnections {
    @Test
    void endsWhenItsPeerIsSilent() throws Exception {
        try (TestServer server = server().start(Handlers.hello());
                RawClient client = lingering(server)) {
            server.millrace().setLingeringCloseMillis(100);
            awaitLingering(server, 0);
            assertEquals(0, server.millrace().getCutLingeringConnections());
            // No reset before that.
            assertEquals(-1, client.in().read());
        }
    }

    @Test
    void isCutAfterItsTime() throws Exception {
        try (TestServer server = server().start(Handlers.hello());
                RawClient client = lingering(server)) {
            trickle(client);
            server.millrace().setLingeringCloseMillis(2000);
            awaitLingering(server, 0);
            assertEquals(1, server.millrace().getCutLingeringConnections());
            Await.until("reset", trickle::isShutdown);
        }
    }

    /** On BIO a thread has begun to wait for more of the request, and goes on. */
    @Test
    void endsWhenItsPeerIsSilentInTls() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        try (server;
                RawClient client = tls.connect(server.start(Handlers.hello()).port())) {
            client.send(upload(HOUR_MILLIS));
            assertEquals("hello", client.answer().text());
            assertEquals(-1, client.in().read());
            Await.until("lingers", () -> server.millrace().getLingeredConnections() == 1);
            server.millrace().setLingeringCloseMillis(100);
            awaitLingering(server, 0);
            assertEquals(0, server.millrace().getCutLingeringConnections());
            if (server.connector() instanceof BioConnector bio) {
                Await.until("no threads of connections", () -> bio.getConnectionThreadCount() == 0);
            }
        }
    }
}
