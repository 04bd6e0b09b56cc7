package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Where a worker waits for its client, fifty slow ones and a fast one get the same: turn by turn, a buffer each. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(60)
class FairnessTest {
    /** Many times what sockets hold, or others get while a thread has no processor for a while. */
    private static final int FILE_BYTES = 4_800_000;

    private static final int SLOW = 50;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private TestServer server() throws Exception {
        SendfileHandler files = Handlers.files(directory);
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        MillraceConnector millrace = server.millrace();
        millrace.setAlgorithm("EqualBlocking(20000)");
        millrace.setWorkers(1);
        millrace.setMinResponseBytesPerSecond(0);
        return server.start(files);
    }

    private static boolean allButOneQueue(TestServer server) {
        return server.connector() instanceof NioConnector nio
                ? nio.getTransferWorkers().getBusy() == 1
                        && nio.getTransferWorkers().getQueued() == SLOW
                : permits(server).getBusy() == 1 && permits(server).getQueued() == SLOW;
    }

    private static TransferPermits permits(TestServer server) {
        return ((BioConnector) server.connector()).getTransferPermits();
    }

    @Test
    void givesSlowAndFastTheSameShare() throws Exception {
        long checksum = Download.checksum(TestFiles.write(directory, "file.bin", FILE_BYTES), FILE_BYTES);
        List<Download> downloads = new ArrayList<>();
        ExecutorService readers = Executors.newCachedThreadPool();
        try (TestServer server = server()) {
            for (int i = 0; i <= SLOW; i++) {
                downloads.add(new Download(server.port(), "/file.bin", i < SLOW ? 8192 : 0).head());
            }
            Await.until("all wait, one of them for its client", () -> allButOneQueue(server));
            List<Future<Long>> shares = new ArrayList<>();
            for (int i = 0; i <= SLOW; i++) {
                Download download = downloads.get(i);
                int pieceBytes = i < SLOW ? 500 : 65536;
                shares.add(readers.submit(() -> {
                    download.readAll(pieceBytes);
                    return downloads.stream()
                            .mapToLong(Download::received)
                            .min()
                            .orElseThrow();
                }));
            }
            for (int i = 0; i <= SLOW; i++) {
                // What is missing is in the sockets, of readers that may have had no processor for a while, or a turn
                // behind.
                long least = shares.get(i).get();
                assertTrue(least > FILE_BYTES / 4, "when one had all, another had only " + least);
                assertEquals(checksum, downloads.get(i).checksum());
            }
        } finally {
            readers.shutdownNow();
            for (Download download : downloads) {
                download.close();
            }
        }
    }
}
