package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The system has no descriptor for a worker to wait with: the connection has its own, and the selector tells of room. */
@Timeout(60)
class NoWriteSelectorTest {
    private static final int FILE_BYTES = 3_000_000;

    @TempDir
    Path directory;

    private final AtomicInteger asked = new AtomicInteger();

    private WriteSelector refuse() throws IOException {
        asked.incrementAndGet();
        throw new IOException("Too many open files");
    }

    @ParameterizedTest
    @ValueSource(strings = {"SimpleBlocking", "EqualBlocking(20000)", "Adaptive"})
    void sendsAllTheSame(String algorithm) throws Exception {
        long checksum = Download.checksum(TestFiles.write(directory, "file.bin", FILE_BYTES), FILE_BYTES);
        SendfileHandler files = Handlers.files(directory);
        TestServer server = new TestServer(Connectors.NIO::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        NioConnector nio = (NioConnector) server.connector();
        nio.setAlgorithm(algorithm);
        nio.setMinResponseBytesPerSecond(0);
        nio.getTransferWorkers().setNewWriteSelector(this::refuse);
        try (server;
                Download download = new Download(server.start(files).port(), "/file.bin", 8192)) {
            download.head();
            // It waits for a client only when that has been quick.
            if (!algorithm.equals("Adaptive")) {
                Await.until("a worker was about to wait", () -> asked.get() > 0);
            }
            Await.until("no worker waits", () -> nio.getTransferWorkers().getBusy() == 0);
            assertEquals(checksum, download.readAll(65536).checksum());
            Await.until("completed", () -> nio.getTransferStatistics().getCompleted() == 1);
            assertEquals(0, nio.getTransferStatistics().getAborted());
        }
    }
}
