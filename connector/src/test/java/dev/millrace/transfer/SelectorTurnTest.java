package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that is slow is served by the selector's own thread, in every dispatch, and gets what it asked for. */
class SelectorTurnTest {
    private static final int FILE_BYTES = 8_000_000;
    private static final long PAUSE_NANOS = 3_000_000;

    @TempDir
    Path directory;

    private byte[] bytes;

    /** Whether a selector waits for room in the socket of its one connection, as its key tells: 4 is for writing. */
    private static boolean isSelectedForWriting(TestServer server) {
        return server.connector().getConnectedEndPoints().stream()
                .allMatch(endPoint -> endPoint.toString().matches("(?s).*\\bkio=[4-7]\\b.*"));
    }

    private long selectorTurns(String dispatch, String algorithm, boolean isSelected) throws Exception {
        bytes = TestFiles.write(directory, "file.bin", FILE_BYTES);
        SendfileHandler files = Handlers.files(directory);
        TestServer server = new TestServer(jetty -> {
            NioConnector connector = new NioConnector(jetty);
            connector.setDispatch(dispatch);
            connector.setAlgorithm(algorithm);
            return connector;
        });
        TransferStatistics statistics = server.transfers();
        try (server;
                Download download = new Download(server.start(files).port(), "/file.bin", 64 * 1024)) {
            download.head();
            if (isSelected) {
                // More than the sockets hold: the server waits for a client that takes nothing.
                Await.until("the socket is full", () -> isSelectedForWriting(server), () -> "" + statistics);
            }
            while (download.received() < FILE_BYTES) {
                long begin = System.nanoTime();
                Await.until("the client has paused", () -> System.nanoTime() - begin > PAUSE_NANOS);
                download.read((int) Math.min(200_000, FILE_BYTES - download.received()));
            }
            assertEquals(Download.checksum(bytes, FILE_BYTES), download.checksum());
            Await.until("completed", () -> statistics.getCompleted() == 1);
            // The next request on the same connection finds everything in order.
            download.client().get("/file.bin");
            assertEquals(FILE_BYTES, download.client().answer().body().length);
        }
        return statistics.getSelectorTurns();
    }

    @ParameterizedTest
    @CsvSource({
        "adaptive,Adaptive",
        "selector,Adaptive",
        "handoff,Adaptive",
        "adaptive,EqualNonBlocking",
        "selector,EqualNonBlocking"
    })
    void servesASlowClient(String dispatch, String algorithm) throws Exception {
        assertTrue(selectorTurns(dispatch, algorithm, true) > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SimpleBlocking", "EqualBlocking(81920)"})
    void leavesTheOthersToTheirWorkers(String algorithm) throws Exception {
        assertEquals(0, selectorTurns("adaptive", algorithm, false));
    }
}
