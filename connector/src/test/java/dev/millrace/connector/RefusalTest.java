package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.VirtualThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What cannot be done is refused at start, with a word of what can. */
class RefusalTest {
    private final Server server = new Server();

    private static void refuses(Executable setting, String... words) {
        Exception refusal = assertThrows(Exception.class, setting);
        for (String word : words) {
            assertTrue(refusal.getMessage().contains(word), refusal.getMessage());
        }
    }

    @Test
    void aBlockingConnectorNeedsAnAcceptor() {
        refuses(() -> new BioConnector(server, 0), "acceptors=0", "NioConnector");
    }

    @Test
    void virtualThreadsNeedAJdkThatHasThem() throws Exception {
        BioConnector connector = new BioConnector(server);
        connector.setThreads("virtual");
        if (VirtualThreads.areSupported()) {
            connector.start();
            assertTrue(connector.isVirtual());
            connector.stop();
        } else {
            refuses(connector::start, "virtual threads", "platform", "auto");
        }
    }

    @Test
    void aLimitNeedsAnAcceptor() {
        NioConnector connector = new NioConnector(server, 0, 1);
        connector.setMaxConnections(10);
        refuses(connector::start, "acceptors", "NetworkConnectionLimit");
    }

    @Test
    void wordsAreThoseOfTheDocumentation() {
        refuses(() -> new BioConnector(server).setThreads("green"), "platform", "virtual", "auto");
        refuses(() -> new NioConnector(server).setDispatch("fast"), "adaptive", "selector", "handoff");
        refuses(() -> new NioConnector(server).setAlgorithm("fast"), "SimpleBlocking", "EqualNonBlocking");
    }

    @Test
    void numbersHaveBounds() {
        BioConnector connector = new BioConnector(server);
        refuses(() -> connector.setReadAheadBytes(0), "at least 1");
        refuses(() -> connector.setWorkers(0), "at least 1");
        refuses(() -> connector.setMaxConnections(-1), "at least 0");
        refuses(() -> connector.setRequestHeadTimeoutMillis(-1), "at least 0");
        refuses(() -> connector.setHeaderCacheSize(-2), "at least -1");
    }

    @Test
    void whatIsForBeforeTheStartCannotBeChangedLater() throws Exception {
        BioConnector connector = new BioConnector(server);
        connector.start();
        refuses(() -> connector.setThreads("platform"), "while the connector runs");
        refuses(() -> connector.setReadAheadBytes(1), "while the connector runs");
        refuses(() -> connector.setMaxConnections(1), "while the connector runs");
        refuses(() -> connector.setWorkers(1), "while the connector runs");
        connector.stop();
        connector.setMaxConnections(1);
        assertEquals(1, connector.getMaxConnections());
    }
}
