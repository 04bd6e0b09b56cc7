package dev.millrace.webapp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.MillraceConnector;
import java.util.List;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;

class ListenerTest {
    @Test
    void limitsAreThoseOfEveryListener() throws UsageException {
        List<Listener> listeners = Listener.create(new Server(), Options.parse("--stock-port=0", "--accept-queue-size=77",
            "--max-connections=7"));
        assertEquals(3, listeners.size());
        listeners.forEach(listener -> {
            assertEquals(77, listener.connector().getAcceptQueueSize());
            assertEquals(7, listener.connector() instanceof MillraceConnector millrace ? millrace.getMaxConnections()
                : listener.connector().getBean(NetworkConnectionLimit.class).getMaxNetworkConnectionCount());
        });
    }
}
