package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.eclipse.jetty.logging.JettyLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What is told of a connection that has been closed names its peer. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class PeerAddressContractTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private static String addressOf(RawClient client) {
        return "127.0.0.1:" + client.socket().getLocalPort();
    }

    @Test
    void isLoggedWhenThePeerWasTooSlow() throws Exception {
        // Its head ends early.
        TestServer server = new TestServer(connectors::http).expectMalformedRequests();
        // Before the start, which plans the first look.
        server.sweeper().setPeriodMillis(50);
        server.millrace().setRequestHeadTimeoutMillis(100);
        try (server;
                Logged log = new Logged("dev.millrace.limits.PeerEnd", JettyLevel.INFO);
                RawClient client = server.start(Handlers.hello()).client()) {
            String peer = addressOf(client);
            client.send("GET / HTTP/1.1\r\n");
            client.readToEnd();
            Await.until("logged", () -> log.count(" was too slow (request head)") == 1);
            assertEquals(1, log.count(peer + " was too slow (request head) and was ended"));
            assertEquals(0, log.count("others"), "it was the only one");
        }
    }

    @Test
    void isRecordedOfAConnectionThatIsOlderThanTheRecording() throws Exception {
        Path file = directory.resolve("recording.jfr");
        try (TestServer server = new TestServer(connectors::http).start(Handlers.hello());
                RawClient client = server.client();
                Recording recording = new Recording()) {
            String peer = addressOf(client);
            assertEquals("hello", client.get("/").answer().text());
            recording.enable(ConnectionEvent.class).withThreshold(Duration.ZERO);
            recording.start();
            client.close();
            server.awaitNoEndPoints();
            recording.stop();
            recording.dump(file);
            long named = RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals("dev.millrace.Connection"))
                    .filter(event -> String.valueOf(event.getString("remote")).endsWith(peer))
                    .count();
            assertEquals(1, named);
        }
    }
}
