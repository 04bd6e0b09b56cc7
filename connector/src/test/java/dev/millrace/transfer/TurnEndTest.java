package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A connection that waits for a turn is not idle. */
class TurnEndTest {
    private static final int QUEUED_BYTES = 3_000_000;
    private static final int IDLE_MILLIS = 100;

    @TempDir
    Path directory;

    private static int queued(TestServer server) {
        return server.connector() instanceof NioConnector nio
                ? nio.getTransferWorkers().getQueued()
                : ((BioConnector) server.connector()).getTransferPermits().getQueued();
    }

    private static int busy(TestServer server) {
        return server.connector() instanceof NioConnector nio
                ? nio.getTransferWorkers().getBusy()
                : ((BioConnector) server.connector()).getTransferPermits().getBusy();
    }

    private TestServer server(Connectors connectors) {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        MillraceConnector millrace = server.millrace();
        // The turn of the first lasts until it has all.
        millrace.setAlgorithm(
                millrace instanceof NioConnector ? "SimpleBlocking" : "EqualBlocking(" + QUEUED_BYTES + ")");
        millrace.setWorkers(1);
        millrace.setMinResponseBytesPerSecond(0);
        return server;
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#senders")
    void isAwaitedForLongerThanTheIdleTimeout(Connectors connectors) throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", QUEUED_BYTES);
        SendfileHandler files = Handlers.files(directory);
        TestServer server = server(connectors);
        try (server;
                Download first = new Download(server.start(files).port(), "/file.bin", 8192)) {
            first.head();
            // The header comes before the turn, which the second could get in its stead.
            Await.until("the first has its turn", () -> busy(server) == 1);
            Set<EndPoint> ofFirst = Set.copyOf(server.connector().getConnectedEndPoints());
            try (Download second = new Download(server.port(), "/file.bin", 8192)) {
                Await.until("the second waits", () -> queued(server) == 1);
                EndPoint waiting = server.connector().getConnectedEndPoints().stream()
                        .filter(endPoint -> !ofFirst.contains(endPoint))
                        .findAny()
                        .orElseThrow();
                long idleTimeout = waiting.getIdleTimeout();
                waiting.setIdleTimeout(IDLE_MILLIS);
                long begin = System.nanoTime();
                Await.until(
                        "it has waited for long",
                        () -> System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(5 * IDLE_MILLIS));
                waiting.setIdleTimeout(idleTimeout);
                assertEquals(1, queued(server));
                assertEquals(QUEUED_BYTES, first.readAll(65536).received());
                assertEquals(
                        Download.checksum(bytes, QUEUED_BYTES),
                        second.head().readAll(65536).checksum());
            }
        }
    }
}
