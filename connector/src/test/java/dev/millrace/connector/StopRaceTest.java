package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.Test;

/** A blocking connector that stops loses no connection that the system has already accepted. */
class StopRaceTest {
    @Test
    void closesWhatItAcceptsWhileItStops() throws Exception {
        for (int round = 0; round < 40; round++) {
            TestServer server = new TestServer(BioConnector::new).start(new Handler.Abstract.NonBlocking() {
                @Override
                public boolean handle(org.eclipse.jetty.server.Request request,
                        org.eclipse.jetty.server.Response response, org.eclipse.jetty.util.Callback callback) {
                    return false;
                }
            });
            RawClient[] clients = new RawClient[8];
            for (int i = 0; i < clients.length; i++) {
                clients[i] = server.client();
            }
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> stop(server));
            for (RawClient client : clients) {
                assertEquals(-1, client.read());
                client.close();
            }
            stopped.get();
        }
    }

    private static void stop(TestServer server) {
        try {
            server.close();
        } catch (Exception x) {
            throw new IllegalStateException(x);
        }
    }
}
