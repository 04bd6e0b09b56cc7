package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that is slow is served by the selector's own thread, in every dispatch, and gets what it asked for. */
class SelectorTurnTest {
    private static final int FILE_BYTES = 8_000_000;
    private static final long PAUSE_NANOS = 3_000_000;

    @TempDir
    Path directory;

    /** In memory, where Linux has that file system: a hole of a file stays one, whatever is read of it. */
    private static final class InMemory implements TempDirFactory {
        private static final Path SHARED_MEMORY = Path.of("/dev/shm");

        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
            return Files.isWritable(SHARED_MEMORY)
                    ? Files.createTempDirectory(SHARED_MEMORY, "millrace")
                    : Files.createTempDirectory("millrace");
        }
    }

    /** Whether a selector waits for room in the socket of its one connection, as its key tells: 4 is for writing. */
    private static boolean isSelectedForWriting(TestServer server) {
        return server.connector().getConnectedEndPoints().stream()
                .allMatch(endPoint -> endPoint.toString().matches("(?s).*\\bkio=[4-7]\\b.*"));
    }

    private long selectorTurns(String dispatch, String algorithm, boolean isSelected) throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", FILE_BYTES);
        return selectorTurns(directory, bytes, dispatch, algorithm, isSelected);
    }

    private static long selectorTurns(Path root, byte[] bytes, String dispatch, String algorithm, boolean isSelected)
            throws Exception {
        SendfileHandler files = Handlers.files(root);
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

    /** The selector's thread waits for no disk: a client is as slow, but nothing that it is to have lies in memory. */
    @ParameterizedTest
    @ValueSource(strings = {"adaptive", "selector"})
    void leavesColdPartsToTheWorkers(String dispatch, @TempDir(factory = InMemory.class) Path root) throws Exception {
        assumeTrue(Files.getFileStore(root).type().equals("tmpfs"), "where a hole that was read lies in memory");
        TestFiles.resize(root.resolve("file.bin"), FILE_BYTES);
        assertEquals(0, selectorTurns(root, new byte[FILE_BYTES], dispatch, "Adaptive", true));
        byte[] bytes = TestFiles.write(root, "file.bin", FILE_BYTES);
        assertTrue(selectorTurns(root, bytes, dispatch, "Adaptive", true) > 0, "the same file, in memory");
    }
}
