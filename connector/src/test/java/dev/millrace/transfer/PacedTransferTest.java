package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.MillraceConnector;
import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A transfer that lasts for longer than the idle timeout: no connection is idle while its client takes something. */
@Timeout(60)
class PacedTransferTest {
    private static final int FILE_BYTES = 3_000_001;
    private static final int IDLE_MILLIS = 10_000;

    @TempDir
    Path directory;

    @Test
    void isNotIdleWhileTheClientTakesSomething() throws Exception {
        TestFiles.write(directory, "file.bin", FILE_BYTES);
        AtOnce.on(Connectors.senders(), this::assertSends);
    }

    /** By all algorithms at once. */
    private void assertSends(Connectors connectors) throws Exception {
        SendfileHandler files = Handlers.files(directory);
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        MillraceConnector millrace = (MillraceConnector) server.connector();
        millrace.setWorkers(50);
        // The test may be slow to read.
        millrace.setMinResponseBytesPerSecond(0);
        try (server) {
            server.start(files);
            List<Download> downloads = new ArrayList<>();
            for (String algorithm : TransferContractTest.algorithms()) {
                millrace.setAlgorithm(algorithm);
                downloads.add(new Download(server.port(), "/file.bin", 8192).head());
            }
            // Not before: a busy machine may take as long to begin.
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(IDLE_MILLIS));
            takeForLongerThanTheTimeout(downloads);
            for (Download download : downloads) {
                assertEquals(FILE_BYTES, download.readAll(65536).received());
                download.close();
            }
        }
    }

    private static void takeForLongerThanTheTimeout(List<Download> downloads) throws Exception {
        ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
        try {
            long begin = System.nanoTime();
            for (int tick = 1; tick <= 25; tick++) {
                pace.schedule(
                                () -> {
                                    for (Download download : downloads) {
                                        assertEquals(60_000, download.read(60_000));
                                    }
                                    return null;
                                },
                                420,
                                TimeUnit.MILLISECONDS)
                        .get();
            }
            assertTrue(System.nanoTime() - begin > TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS));
        } finally {
            pace.shutdownNow();
        }
    }
}
