package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.Attribute;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.eclipse.jetty.jmx.MBeanContainer;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Transfers seen from outside: the flight recorder and JMX. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class TransferEventTest {
    private static final AtomicInteger RECORDINGS = new AtomicInteger();

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final int recordingNumber = RECORDINGS.incrementAndGet();

    @Test
    void recordsTransfers() throws Exception {
        TestFiles.write(directory, "whole.bin", 1_000_000);
        TestFiles.write(directory, "part.bin", 10_000_000);
        Path dump = directory.resolve("out.jfr");
        SendfileHandler files = Handlers.files(directory);
        try (Recording recording = new Recording()) {
            recording.enable("dev.millrace.Transfer").withoutThreshold();
            recording.start();
            try (TestServer server = new TestServer(connectors::http).start(files)) {
                files.getSettings().setAlgorithm(algorithm());
                try (RawClient client = server.client()) {
                    assertEquals(1_000_000, client.get("/whole.bin").answer().body().length);
                    client.send("GET /whole.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=500000-699999\r\n\r\n");
                    assertEquals(200_000, client.answer().body().length);
                }
                TransferStatistics statistics = server.transfers();
                Await.until("counted", () -> statistics.getCompleted() == 2);
                try (Download download = new Download(server.port(), "/part.bin", 8192)) {
                    assertEquals(1000, download.head().read(1000));
                    TestFiles.resize(directory.resolve("part.bin"), 9_000_000 + recordingNumber);
                    download.readToEnd();
                }
                Await.until("counted", () -> statistics.getAborted() == 1);
            }
            recording.stop();
            recording.dump(dump);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(dump).stream()
                .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .toList();
        assertEquals(3, events.size());
        assertEvent(events.get(0), "whole.bin", 0, 1_000_000);
        assertEvent(events.get(1), "whole.bin", 500_000, 200_000);
        assertEquals(10, events.get(0).getInt("turns"));
        assertFalse(events.get(2).getBoolean("complete"));
        assertTrue(events.get(2).getLong("bytes") <= 9_000_000 + recordingNumber);
        assertNotNull(events.get(2).getString("failure"));
    }

    // Another one for each recording: JDK 17 leaves strings out that an earlier recording of the JVM has had.
    private String algorithm() {
        return "EqualBlocking(" + (100_000 + recordingNumber) + ")";
    }

    private void assertEvent(RecordedEvent event, String file, long position, long bytes) {
        assertEquals(directory.resolve(file).toString(), event.getString("file"));
        assertEquals(position, event.getLong("position"));
        assertEquals(bytes, event.getLong("bytes"));
        assertEquals(algorithm(), event.getString("algorithm"));
        assertTrue(event.getBoolean("complete"));
        assertNull(event.getString("failure"));
    }

    @Test
    void recordsWhyAFileWasCopied() throws Exception {
        TestFiles.write(directory, "small.bin", 1000);
        TestFiles.write(directory, "large.bin", 100_000);
        Path dump = directory.resolve("out.jfr");
        try (Recording recording = new Recording();
                TestServer server = new TestServer(connectors::http).start(Handlers.files(directory));
                RawClient client = server.client()) {
            recording.enable("dev.millrace.Copy");
            recording.start();
            assertEquals(1000, client.get("/small.bin").answer().body().length);
            assertEquals(100_000, client.get("/large.bin").answer().body().length);
            recording.stop();
            recording.dump(dump);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(dump);
        assertEquals(1, events.size(), events.toString());
        assertEquals(directory.resolve("small.bin").toString(), events.get(0).getString("file"));
        assertEquals(1000, events.get(0).getLong("bytes"));
        assertEquals("SMALL", events.get(0).getString("obstacle"));
    }

    @Test
    void recordsEachCopiedPartOfAnAnswer() throws Exception {
        TestFiles.write(directory, "parts.bin", 100_000);
        Path dump = directory.resolve("out.jfr");
        SendfileHandler files = Handlers.files(directory);
        Handler wrapping = Handlers.around(
                files,
                (request, response, callback) ->
                        files.handle(request, new Response.Wrapper(request, response), callback));
        try (Recording recording = new Recording();
                TestServer server = new TestServer(connectors::http).start(wrapping);
                RawClient client = server.client()) {
            recording.enable("dev.millrace.Copy");
            recording.start();
            client.send("GET /parts.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=10-29,50000-89999\r\n\r\n");
            assertEquals(206, client.answer().status());
            recording.stop();
            recording.dump(dump);
        }
        assertEquals(
                List.of("10+20", "50000+40000"),
                RecordingFile.readAllEvents(dump).stream()
                        .map(event -> event.getLong("position") + "+" + event.getLong("bytes"))
                        .sorted()
                        .toList());
    }

    @Test
    void isManaged() throws Exception {
        MBeanServer beans = MBeanServerFactory.newMBeanServer();
        TestServer server = new TestServer(connectors::http);
        server.server().addBean(new MBeanContainer(beans));
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        try (server;
                RawClient client =
                        new RawClient(server.start(Handlers.files(directory)).port())) {
            ObjectName connector = only(beans, "dev.millrace.connector:type=*connector,*");
            ObjectName mount = only(beans, "dev.millrace.files:type=sendfilesettings,*");
            ObjectName statistics = only(beans, "dev.millrace.transfer:type=transferstatistics,*");
            assertEquals("Adaptive", beans.getAttribute(connector, "algorithm"));
            assertEquals("", beans.getAttribute(mount, "algorithm"));
            long completed = 0;
            for (String algorithm : TransferContractTest.algorithms()) {
                beans.setAttribute(connector, new Attribute("algorithm", algorithm));
                assertEquals(TransferAlgorithm.of(algorithm).toString(), beans.getAttribute(connector, "algorithm"));
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
                long sum = ++completed;
                Await.until(
                        "counted",
                        () -> attribute(beans, statistics, "completed").equals(sum));
            }
            // The mount's own goes before the connector's.
            long turns = (long) attribute(beans, statistics, "turns");
            beans.setAttribute(mount, new Attribute("algorithm", "EqualBlocking(100000)"));
            assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            Await.until(
                    "counted", () -> attribute(beans, statistics, "completed").equals(6L));
            assertEquals(turns + 10, attribute(beans, statistics, "turns"));
            ObjectName workers = only(
                    beans,
                    "dev.millrace.transfer:type=transfer"
                            + (connectors.name().startsWith("NIO") ? "workers" : "permits") + ",*");
            assertEquals(50, attribute(beans, connector, "workers"));
            Await.until("nobody sends", () -> attribute(beans, workers, "busy").equals(0));
            assertEquals(0, attribute(beans, workers, "queued"));
        }
    }

    private static ObjectName only(MBeanServer beans, String pattern) throws Exception {
        var names = beans.queryNames(new ObjectName(pattern), null);
        assertEquals(1, names.size(), pattern + " in " + beans.queryNames(null, null));
        return names.iterator().next();
    }

    private static Object attribute(MBeanServer beans, ObjectName name, String attribute) {
        try {
            return beans.getAttribute(name, attribute);
        } catch (Exception x) {
            throw new AssertionError(x);
        }
    }
}
