package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.channels.SelectableChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.util.IO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A listener may close a connection that is being accepted, as NetworkConnectionLimit does, and counts by what it is told then. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class RefusingListenerContractTest {
    @Parameter
    Connectors connectors;

    private final List<String> told = new CopyOnWriteArrayList<>();
    private volatile boolean refuses = true;

    private final class Listener implements SelectorManager.AcceptListener {
        @Override
        public void onAccepting(SelectableChannel channel) {
            told.add("accepting");
            if (refuses) {
                IO.close(channel);
            }
        }

        @Override
        public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
            told.add("failed");
        }

        @Override
        public void onAccepted(SelectableChannel channel) {
            told.add("accepted");
        }
    }

    @Test
    void isToldOnceThatItFailed() throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.connector().addBean(new Listener());
        try (server) {
            server.start(Handlers.hello());
            try (RawClient refused = server.client()) {
                assertEquals(-1, refused.read());
            }
            Await.until("told", () -> told.contains("failed"));
            refuses = false;
            try (RawClient client = server.client()) {
                assertEquals("hello", client.get("/").answer().text());
            }
            assertEquals(List.of("accepting", "failed", "accepting", "accepted"), told);
        }
    }
}
