package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Jetty's limit of connections. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class ConnectionLimitContractTest {
    private static final int MOST = 3;

    @Parameter
    Connectors connectors;

    private final AtomicInteger accepted = new AtomicInteger();
    private final List<RawClient> clients = new ArrayList<>();

    private TestServer start() throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.server().addBean(new NetworkConnectionLimit(MOST, server.server()));
        server.connector().addBean(new SelectorManager.AcceptListener() {
            @Override
            public void onAccepting(SelectableChannel channel) {
                accepted.incrementAndGet();
            }
        });
        return server.start(Handlers.hello());
    }

    private void reachLimit(TestServer server) throws Exception {
        for (int i = 0; i < MOST; i++) {
            clients.add(server.client());
            assertEquals("hello", clients.get(i).get("/").answer().text());
        }
        Await.until("accepts no more", () -> !server.connector().isAccepting());
        if (server.connector().getAcceptors() > 0) {
            // The limit is reached within accept(): nobody is in the next.
            Await.until("the acceptor waits", ConnectionLimitContractTest::acceptorWaits);
        }
    }

    private static boolean acceptorWaits() {
        return Thread.getAllStackTraces().values().stream()
                .map(Arrays::toString)
                .anyMatch(stack ->
                        stack.contains("AbstractConnector$Acceptor.run(") && stack.contains("ConditionObject.await("));
    }

    private static int connections(TestServer server) {
        return server.server().getBean(NetworkConnectionLimit.class).getNetworkConnectionCount();
    }

    @Test
    void isObeyedUntilOthersLeave() throws Exception {
        try (TestServer server = start()) {
            reachLimit(server);
            assertEquals(MOST, connections(server));
            for (RawClient client : clients) {
                client.close();
            }
            Await.until("accepts again", () -> server.connector().isAccepting());
            try (RawClient client = server.client()) {
                assertEquals("hello", client.get("/").answer().text());
            }
        }
    }

    /** In the system's queue: it is not accepted and then dropped. */
    @Test
    void letsAPeerWaitUntilAnotherLeaves() throws Exception {
        try (TestServer server = start()) {
            assumeTrue(
                    server.connector().getAcceptors() > 0,
                    "a selector may accept once more before it hears of the limit");
            reachLimit(server);
            for (int i = 0; i < MOST; i++) {
                clients.add(server.client().get("/"));
                // They are served meanwhile, and nobody else.
                for (int k = i; k < clients.size() - 1; k++) {
                    assertEquals("hello", clients.get(k).get("/").answer().text());
                }
                assertEquals(MOST + i, accepted.get());
                clients.get(i).close();
                assertEquals("hello", clients.get(MOST + i).answer().text());
                assertTrue(connections(server) <= MOST);
            }
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}
