package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.NioConnector;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A file is written over when the client has the header, and its content still waits for a worker. */
@Timeout(60)
class PromisedVersionTest {
    private static final int FILE_BYTES = 3_000_001;

    @TempDir
    Path directory;

    private TestServer server(Connectors connectors) {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        // However slow the machine is.
        server.connector().setIdleTimeout(120_000);
        server.millrace().setMinResponseBytesPerSecond(0);
        server.millrace().setAlgorithm("SimpleBlocking");
        server.millrace().setWorkers(1);
        return server;
    }

    /** In its place, by a longer one. */
    private void overwrite() throws Exception {
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"), StandardOpenOption.WRITE)) {
            ByteBuffer other = ByteBuffer.allocate(FILE_BYTES + 1000);
            while (other.hasRemaining()) {
                file.write(other);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "NIO_HANDOFF", "NIO_SELECTOR"})
    void isNotAnotherOne(Connectors connectors) throws Exception {
        TestFiles.write(directory, "other.bin", FILE_BYTES);
        TestFiles.write(directory, "file.bin", FILE_BYTES);
        try (Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = server(connectors).start(Handlers.files(directory))) {
            TransferWorkers workers = ((NioConnector) server.connector()).getTransferWorkers();
            try (Download first = new Download(server.port(), "/other.bin", 8192)) {
                Await.until("the only worker waits", () -> workers.getBusy() == 1 && workers.getQueued() == 0);
                try (Download second = new Download(server.port(), "/file.bin", 8192)) {
                    assertEquals(FILE_BYTES, second.head().length());
                    Await.until("the second queues", () -> workers.getQueued() == 1);
                    overwrite();
                    first.close();
                    second.readToEnd();
                    assertTrue(second.received() < FILE_BYTES, "a whole one, of the other version");
                }
            }
            Await.until("said", () -> logged.count("was written over while it was sent") == 1);
        }
    }
}
