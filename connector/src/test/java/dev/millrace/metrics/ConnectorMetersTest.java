package dev.millrace.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a connector's meters tell of its threads, and of what went wrong. */
@Timeout(60)
class ConnectorMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private TestServer server(Connectors connectors) {
        return new TestServer(connectors::http);
    }

    private void bind(TestServer server) {
        server.connector().setName("it");
        new MillraceMetrics(server.server()).bindTo(registry);
    }

    private double counter(String name) {
        FunctionCounter counter = registry.find(name).tag("connector", "it").functionCounter();
        assertNotNull(counter, () -> name + " is not among " + registry.getMetersAsString());
        return counter.count();
    }

    private double gauge(String name, String... tags) {
        Gauge gauge = registry.find(name).tag("connector", "it").tags(tags).gauge();
        assertNotNull(gauge, () -> name + " is not among " + registry.getMetersAsString());
        return gauge.value();
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void whatWaitsAndWhatWorks(Connectors connectors) throws Exception {
        try (TestServer server = server(connectors).start(Handlers.hello());
                RawClient client = server.client()) {
            bind(server);
            assertEquals("hello", client.get("/").answer().text());
            Await.until("waits", () -> gauge("millrace.waiting", "in", "read") == 1);
            assertEquals(0, gauge("millrace.waiting", "in", "write"));
            Await.until("has waited", () -> counter("millrace.wake.ups") >= 1);
            assertEquals(50, gauge("millrace.workers"));
            assertEquals(0, gauge("millrace.workers.busy"));
            assertEquals(0, counter("millrace.lingering.cut"));
            assertEquals(0, counter("millrace.transfers.truncated"));
            assertTrue(connectors != Connectors.NIO_HANDOFF || counter("millrace.hand.overs") > 0);
            if (server.connector() instanceof BioConnector) {
                assertEquals(1, gauge("millrace.threads"));
                assertEquals(0, counter("millrace.hand.overs"));
                assertEquals(0, counter("millrace.connections.refused"));
            } else {
                assertNull(registry.find("millrace.threads").gauge());
                assertNull(registry.find("millrace.connections.refused").functionCounter());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void whatIsCutWhileItLingers(Connectors connectors) throws Exception {
        TestServer server = server(connectors).expectMalformedRequests();
        MillraceConnector connector = server.millrace();
        connector.setLingeringCloseBytes(1);
        try (server;
                RawClient client = server.start(Handlers.hello()).client()) {
            bind(server);
            client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 100000000\r\n\r\n");
            assertEquals("hello", client.answer().text());
            assertThrows(IOException.class, () -> {
                while (true) {
                    client.send(new byte[10_000]);
                }
            });
            Await.until("cut", () -> counter("millrace.lingering.cut") == 1);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#senders")
    void filesThatBecomeShorter(Connectors connectors, @TempDir Path folder) throws Exception {
        TestFiles.write(folder, "file.bin", 40_000_000);
        try (TestServer server = server(connectors).start(Handlers.files(folder));
                RawClient client = new RawClient(server.port(), 8192)) {
            bind(server);
            client.get("/file.bin");
            while (!client.line().isEmpty()) {
                // The head has arrived: the transfer is under way, and the socket will not take it all.
            }
            assertEquals(1, gauge("millrace.transfers.running"));
            TestFiles.resize(folder.resolve("file.bin"), 20_000_000);
            client.in().transferTo(OutputStream.nullOutputStream());
            Await.until("counted", () -> counter("millrace.transfers.truncated") == 1);
        }
    }

    @Test
    void whatIsRefused() throws Exception {
        TestServer server = new TestServer(of -> new BioConnector(of) {
            @Override
            protected void configure(Socket socket) {
                throw new IllegalStateException("on purpose");
            }
        });
        try (server) {
            server.start(Handlers.hello());
            bind(server);
            try (RawClient refused = server.client()) {
                assertEquals(-1, refused.read());
            }
            Await.until("counted", () -> counter("millrace.connections.refused") == 1);
        }
    }
}
