package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a flight recording sees of connections. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class FlightRecorderContractTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final CountDownLatch writing = new CountDownLatch(1);

    /** Content that no socket takes at once. */
    private final Handler large = Handlers.of((request, response, callback) -> {
        writing.countDown();
        response.write(true, ByteBuffer.allocateDirect(16 * 1024 * 1024), callback);
    });

    private List<RecordedEvent> events(Recording recording, String name) throws Exception {
        Path file = directory.resolve("recording.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(e -> e.getEventType().getName().equals(name))
                .toList();
    }

    @Test
    void recordsALifeAndABlockedWriteWhenAsked() throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable(ConnectionEvent.class).withThreshold(Duration.ZERO);
            recording.enable(BlockedWriteEvent.class).withThreshold(Duration.ofMillis(1));
            recording.start();
            try (TestServer server = new TestServer(connectors::http).start(large);
                    RawClient client = new RawClient(server.port(), 8192)) {
                client.get("/");
                assertTrue(writing.await(30, TimeUnit.SECONDS));
                assertEquals(16 * 1024 * 1024, client.answer().body().length);
                client.close();
                server.awaitNoEndPoints();
            }
            recording.stop();
            List<RecordedEvent> lives = events(recording, "dev.millrace.Connection");
            assertEquals(1, lives.size());
            assertEquals(1, lives.get(0).getLong("messagesIn"));
            assertTrue(lives.get(0).getLong("bytesOut") > 16 * 1024 * 1024);
            assertTrue(lives.get(0).getString("remote").contains("127.0.0.1"));
            assertNull(lives.get(0).getString("failure"));
            List<RecordedEvent> writes = events(recording, "dev.millrace.BlockedWrite");
            assertTrue(!writes.isEmpty(), "no blocked write");
        }
    }

    @Test
    void recordsWhyALifeEnded() throws Exception {
        // Another one each time: JDK 17 may lose a text that an earlier recording had.
        String reason = "enough at " + System.nanoTime();
        RecordedEvent life = lifeEndedBy(new IOException(reason));
        assertEquals("java.io.IOException: " + reason, life.getString("failure"));
    }

    /** What it asks may be an application's: of its connection, or why it has closed one. */
    @Test
    void endsAConnectionOfWhichItCannotTellAll() throws Exception {
        IOException untold = new IOException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new IllegalStateException("meant to fail");
            }
        };
        assertEquals(1, lifeEndedBy(untold).getLong("messagesIn"));
    }

    /** Of a connection that its handler closes. */
    private RecordedEvent lifeEndedBy(IOException cause) throws Exception {
        Handler closing = Handlers.of((request, response, callback) -> {
            EndPoints.of(request).close(cause);
            callback.failed(new IOException("the connection is gone"));
        });
        try (Recording recording = new Recording()) {
            recording.enable(ConnectionEvent.class).withThreshold(Duration.ZERO);
            recording.start();
            try (TestServer server = new TestServer(connectors::http).start(closing);
                    RawClient client = server.client()) {
                assertEquals(-1, client.get("/").read());
                server.awaitNoEndPoints();
            }
            recording.stop();
            List<RecordedEvent> lives = events(recording, "dev.millrace.Connection");
            assertEquals(1, lives.size());
            return lives.get(0);
        }
    }

    @Test
    void recordsNothingShorterThanTheThreshold() throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable(ConnectionEvent.class).withThreshold(Duration.ofHours(1));
            recording.enable(BlockedWriteEvent.class).withThreshold(Duration.ofHours(1));
            recording.start();
            try (TestServer server = new TestServer(connectors::http).start(large);
                    RawClient client = new RawClient(server.port(), 8192)) {
                client.get("/").answer();
            }
            recording.stop();
            assertEquals(List.of(), events(recording, "dev.millrace.Connection"));
            assertEquals(List.of(), events(recording, "dev.millrace.BlockedWrite"));
        }
    }

    @Test
    void recordsNothingUnlessAsked() throws Exception {
        try (Recording recording = new Recording()) {
            recording.start();
            try (TestServer server = new TestServer(connectors::http).start(large);
                    RawClient client = server.client()) {
                client.get("/").answer();
            }
            recording.stop();
            assertEquals(List.of(), events(recording, "dev.millrace.Connection"));
            assertEquals(List.of(), events(recording, "dev.millrace.BlockedWrite"));
        }
    }
}
