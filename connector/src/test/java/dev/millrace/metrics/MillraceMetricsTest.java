package dev.millrace.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.connector.TlsConnectionFactory;
import dev.millrace.files.SendfileHandler;
import dev.millrace.monitor.ConnectorMonitor;
import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.Tls;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The meters tell what connectors and files do, while they do it. */
class MillraceMetricsTest {
    private static final int SLOW_BYTES = 64 * 1024 * 1024;

    @TempDir
    Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Server server = new Server();
    private final NioConnector nio = new NioConnector(server);
    private final BioConnector bio = new BioConnector(server);
    private final ServerConnector stock = new ServerConnector(server);
    private Tls tls;
    private NioConnector secure;

    @BeforeEach
    void start() throws Exception {
        TestFiles.write(folder, "sent.bin", 200_000);
        TestFiles.write(folder, "gathered.bin", 50_000);
        TestFiles.write(folder, "small.bin", 1000);
        try (FileChannel slow =
                FileChannel.open(folder.resolve("slow.bin"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            slow.write(ByteBuffer.wrap(new byte[] {1}), SLOW_BYTES - 1);
        }
        nio.setMaxConnections(100);
        bio.setName("second");
        tls = new Tls();
        secure = new NioConnector(
                server, new TlsConnectionFactory(tls.server(), "http/1.1"), new HttpConnectionFactory());
        secure.setName("secure");
        for (ServerConnector connector : new ServerConnector[] {nio, bio, stock, secure}) {
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
        }
        SendfileHandler files = new SendfileHandler();
        files.setBaseResource(ResourceFactory.of(files).newResource(folder));
        server.setHandler(files);
        server.start();
        new MillraceMetrics(server).bindTo(registry);
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private double counter(String name, String... tags) {
        FunctionCounter counter = registry.find(name).tags(tags).functionCounter();
        assertNotNull(counter, () -> name + " is not among " + registry.getMetersAsString());
        return counter.count();
    }

    /** Waits for the count: a client has an answer's last byte before the server has counted it. */
    private void counts(double expected, String name, String... tags) {
        Await.until(name + " of " + expected, () -> counter(name, tags) == expected);
    }

    private double gauge(String name, String... tags) {
        Gauge gauge = registry.find(name).tags(tags).gauge();
        assertNotNull(gauge, () -> name + " is not among " + registry.getMetersAsString());
        return gauge.value();
    }

    private static void get(ServerConnector connector, String file, int times) throws IOException {
        try (RawClient client = new RawClient(connector.getLocalPort())) {
            for (int i = 0; i < times; i++) {
                assertEquals(200, client.get(file).answer().status());
            }
        }
    }

    @Test
    void bytesCountByTheirWay() throws Exception {
        get(nio, "/sent.bin", 2);
        counts(400_000, "millrace.sent", "connector", "nio", "way", "sendfile");
        assertTrue(counter("millrace.sent", "connector", "nio", "way", "memory") > 0);
        assertEquals(0, counter("millrace.sent", "connector", "second", "way", "sendfile"));
        counts(2, "millrace.files.answers", "way", "sendfile");
        get(bio, "/gathered.bin", 1);
        counts(50_000, "millrace.files.sent", "way", "gathered");
        get(bio, "/small.bin", 1);
        counts(1000, "millrace.files.sent", "way", "copied", "reason", "small");
        get(stock, "/sent.bin", 1);
        counts(200_000, "millrace.files.sent", "way", "copied", "reason", "end_point");
        counts(1, "millrace.files.answers", "way", "copied", "reason", "end_point");
    }

    @Test
    void cachesCountWhatWasFound() throws Exception {
        get(nio, "/small.bin", 100);
        double cached = counter("millrace.files.sent", "way", "cached");
        assertTrue(cached > 0, "nothing came from the cache");
        // The request that brings a file into the cache has missed it.
        assertEquals(cached / 1000 - 1, counter("millrace.cache.gets", "cache", "contents", "result", "hit"));
        assertTrue(counter("millrace.cache.gets", "cache", "contents", "result", "miss") > 0);
        assertTrue(counter("millrace.cache.gets", "cache", "open-files", "result", "hit") >= 98);
        assertTrue(counter("millrace.cache.gets", "cache", "open-files", "result", "miss") >= 1);
        assertEquals(1, gauge("millrace.cache.entries", "cache", "contents"));
        assertTrue(gauge("millrace.cache.size", "cache", "contents") >= 1000);
        assertEquals(0, counter("millrace.cache.evictions", "cache", "contents"));
    }

    @Test
    void bytesCountWhileTheyAreSent() throws Exception {
        for (MillraceConnector connector : new MillraceConnector[] {nio, bio}) {
            String name = connector == nio ? "nio" : "second";
            try (RawClient client = new RawClient(connector.getLocalPort())) {
                client.get("/slow.bin");
                Await.until(
                        "bytes by sendfile of " + name,
                        () -> counter("millrace.sent", "connector", name, "way", "sendfile") > 0);
                assertEquals(1, gauge("millrace.transfers.running", "connector", name));
                assertEquals(1, gauge("millrace.connections", "connector", name));
                assertEquals(0, counter("millrace.transfers", "connector", name, "outcome", "completed"));
            }
            Await.until(
                    "the end of " + name,
                    () -> counter("millrace.transfers", "connector", name, "outcome", "aborted") == 1);
        }
        try (RawClient client = new RawClient(stock.getLocalPort())) {
            client.get("/slow.bin");
            Await.until("copied bytes", () -> counter("millrace.files.sent", "reason", "end_point") > 0);
            assertTrue(counter("millrace.files.sent", "reason", "end_point") < SLOW_BYTES);
        }
    }

    @Test
    void bytesCountWhileTheyAreSentOverTls() throws Exception {
        try (RawClient client = tls.connect(secure.getLocalPort())) {
            assertEquals(200, client.get("/sent.bin").answer().status());
            Await.until("all bytes", () -> counter("millrace.files.sent", "reason", "end_point") == 200_000);
            client.get("/slow.bin");
            Await.until("bytes of the next", () -> counter("millrace.files.sent", "reason", "end_point") > 200_000);
            assertTrue(counter("millrace.files.sent", "reason", "end_point") < SLOW_BYTES);
        }
    }

    @Test
    void limitsAndPausesAreTold() {
        assertEquals(100, gauge("millrace.connections.max", "connector", "nio"));
        assertEquals(0, gauge("millrace.connections.lingering", "connector", "nio"));
        assertEquals(0, gauge("millrace.transfers.queued", "connector", "second"));
        assertEquals(0, counter("millrace.accept.pauses", "connector", "nio"));
        for (String kind : new String[] {"head", "request", "response"}) {
            assertEquals(0, counter("millrace.slow.peers", "connector", "second", "kind", kind));
        }
    }

    @Test
    void transfersThatRunStayCountedWhenTheirCountersAreReset() throws Exception {
        ConnectorMonitor figures = new ConnectorMonitor(server);
        server.addBean(figures);
        for (MillraceConnector connector : new MillraceConnector[] {nio, bio}) {
            String name = connector == nio ? "nio" : "second";
            int index = List.of(server.getConnectors()).indexOf(connector);
            try (RawClient client = new RawClient(connector.getLocalPort())) {
                client.get("/slow.bin");
                Await.until(
                        "bytes by sendfile of " + name,
                        () -> counter("millrace.sent", "connector", name, "way", "sendfile") > 0);
                connector.getTransferStatistics().reset();
                assertEquals(1, gauge("millrace.transfers.running", "connector", name));
                assertEquals(1L, figures.get().get(index).get("transfers"));
            }
            counts(1, "millrace.transfers", "connector", name, "outcome", "aborted");
            assertEquals(0, gauge("millrace.transfers.running", "connector", name));
            assertEquals(0L, figures.get().get(index).get("transfers"));
        }
    }

    @Test
    void countersKeepWhatFilesThatAreServedNoLongerHaveCounted() throws Exception {
        Server other = new Server();
        ServerConnector connector = new NioConnector(other);
        connector.setHost("127.0.0.1");
        other.addConnector(connector);
        ContextHandlerCollection contexts = new ContextHandlerCollection(true);
        ContextHandler leaving = context("/leaving");
        contexts.setHandlers(leaving, context("/staying"));
        other.setHandler(contexts);
        other.start();
        new MillraceMetrics(other, Tags.of("server", "other")).bindTo(registry);
        String[] sent = {"server", "other", "way", "sendfile"};
        try {
            get(connector, "/leaving/sent.bin", 3);
            get(connector, "/staying/sent.bin", 2);
            counts(5, "millrace.files.answers", sent);
            contexts.removeHandler(leaving);
            leaving.stop();
            assertEquals(5, counter("millrace.files.answers", sent));
            get(connector, "/staying/sent.bin", 1);
            counts(6, "millrace.files.answers", sent);
        } finally {
            other.stop();
        }
    }

    private ContextHandler context(String path) {
        return new ContextHandler(Handlers.files(folder), path);
    }

    @Test
    void slowPeersCount() throws Exception {
        bio.setRequestHeadTimeoutMillis(1);
        try (RawClient client = new RawClient(bio.getLocalPort())) {
            client.send("GET / HTTP/1.1\r\nHost:");
            Await.until(
                    "the end of a slow head",
                    () -> counter("millrace.slow.peers", "connector", "second", "kind", "head") == 1);
        }
    }

    @Test
    void connectorsOfOneNameAreToldApart() {
        Server other = new Server();
        other.addConnector(new NioConnector(other));
        other.addConnector(new NioConnector(other));
        new MillraceMetrics(other, Tags.of("server", "other")).bindTo(registry);
        assertEquals(0, gauge("millrace.connections", "server", "other", "connector", "nio"));
        assertEquals(0, gauge("millrace.connections", "server", "other", "connector", "nio-2"));
    }

    @Test
    void metersGoOnAfterARestart() throws Exception {
        get(nio, "/sent.bin", 1);
        server.stop();
        assertEquals(0, gauge("millrace.connections", "connector", "nio"));
        assertEquals(0, gauge("millrace.transfers.running", "connector", "nio"));
        double before = counter("millrace.sent", "connector", "nio", "way", "sendfile");
        server.start();
        get(nio, "/sent.bin", 1);
        counts(before + 200_000, "millrace.sent", "connector", "nio", "way", "sendfile");
        Await.until("an answer", () -> counter("millrace.files.answers", "way", "sendfile") >= 1);
        // As after the start of a server in the place of another: nothing is told twice.
        new MillraceMetrics(server).bindTo(registry);
        assertEquals(before + 200_000, counter("millrace.sent", "connector", "nio", "way", "sendfile"));
    }

    /** Although each start has a content cache of its own, and may use it more than those before. */
    @Test
    void hitsGoOnAfterARestart() throws Exception {
        String[] hits = {"cache", "contents", "result", "hit"};
        get(nio, "/small.bin", 100);
        double before = counter("millrace.cache.gets", hits);
        server.stop();
        server.start();
        get(nio, "/small.bin", 200);
        double after = counter("millrace.cache.gets", hits);
        assertTrue(after > before + 150, before + " hits, and then " + after);
    }

    @Test
    void aConnectorWhoseNameLooksLikeANumberedOneIsToldApart() throws Exception {
        Server other = new Server();
        for (String name : new String[] {"a", "a", "a-2", null}) {
            NioConnector connector = new NioConnector(other);
            connector.setName(name);
            other.addConnector(connector);
        }
        new MillraceMetrics(other, Tags.of("server", "numbered")).bindTo(registry);
        assertEquals(
                4,
                registry.find("millrace.connections")
                        .tag("server", "numbered")
                        .gauges()
                        .size());
    }
}
