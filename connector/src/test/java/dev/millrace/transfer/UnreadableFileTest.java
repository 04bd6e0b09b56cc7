package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.MillraceConnector;
import dev.millrace.testing.Await;
import dev.millrace.testing.BrokenFile;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The disk fails in the middle of an answer: that is this side's fault, and must be told from a peer's. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class UnreadableFileTest {
    private static final int FILE_BYTES = 1_000_000;
    private static final int READABLE_BYTES = 600_000;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    static List<String> algorithms() {
        return TransferContractTest.algorithms();
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void abortsAndLogs(String algorithm) throws Exception {
        assertAborts(algorithm, BrokenFile::new, "Input/output error");
    }

    /** Of such a file the kernel sends nothing, as into a full socket. */
    @ParameterizedTest
    @MethodSource("algorithms")
    @Timeout(60)
    void abortsWhereTheFileEndsThoughItsSizeSaysOtherwise(String algorithm) throws Exception {
        assertAborts(algorithm, BrokenFile::ending, "end of file");
    }

    private void assertAborts(String algorithm, BiFunction<FileChannel, Long, FileChannel> breaking, String reason)
            throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", FILE_BYTES);
        TestServer server = new TestServer(connectors::http);
        MillraceConnector connector = server.millrace();
        connector.setAlgorithm(algorithm);
        try (FileChannel file = breaking.apply(FileChannel.open(directory.resolve("file.bin")), (long) READABLE_BYTES);
                Logged logged = new Logged(FileFailedException.class.getName());
                server;
                Download download = new Download(
                        server.start(Handlers.region(file, FILE_BYTES)).port(), "/", 0)) {
            download.head().readToEnd();
            assertEquals(READABLE_BYTES, download.received());
            assertEquals(Download.checksum(bytes, READABLE_BYTES), download.checksum());
            Await.until("counted", () -> connector.getTransferStatistics().getAborted() == 1);
            assertEquals(0, connector.getTransferStatistics().getTruncations());
            assertEquals(1, logged.count(reason));
        }
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void logsNothingWhenThePeerGoesAway(String algorithm) throws Exception {
        TestFiles.write(directory, "file.bin", FILE_BYTES);
        TestServer server = new TestServer(connectors::http);
        MillraceConnector connector = server.millrace();
        connector.setAcceptedSendBufferSize(16 * 1024);
        connector.setAlgorithm(algorithm);
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"));
                Logged logged = new Logged("dev.millrace");
                server) {
            try (Download download =
                    new Download(server.start(Handlers.region(file, FILE_BYTES)).port(), "/", 8192)) {
                download.head();
                download.client().socket().setSoLinger(true, 0);
            }
            Await.until("counted", () -> connector.getTransferStatistics().getAborted() == 1);
            server.awaitNoEndPoints();
            assertEquals(0, logged.count("WARN"));
        }
    }
}
