package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.NioConnector;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
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

    private TestServer server(Connectors connectors, String algorithm) {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        // However slow the machine is.
        server.connector().setIdleTimeout(120_000);
        server.millrace().setMinResponseBytesPerSecond(0);
        server.millrace().setAlgorithm(algorithm);
        server.millrace().setWorkers(1);
        return server;
    }

    /** In its place, by a longer one. */
    private void overwrite() throws Exception {
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"), StandardOpenOption.WRITE)) {
            ByteBuffer other = ByteBuffer.wrap(RandomBytes.of(FILE_BYTES + 1000));
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
                TestServer server = server(connectors, "SimpleBlocking").start(Handlers.files(directory))) {
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

    /** Nor when the first look at it waits for a worker too, and the header with that: it is not in memory. */
    @Test
    void isNotAnotherOneThatWasWrittenBeforeTheFirstLook() throws Exception {
        TestFiles.write(directory, "other.bin", FILE_BYTES);
        TestFiles.resize(directory.resolve("file.bin"), FILE_BYTES);
        TestServer server = server(Connectors.NIO_SELECTOR, "EqualBlocking(" + FILE_BYTES + ")");
        // None stands ready to select.
        ((QueuedThreadPool) server.server().getThreadPool()).setReservedThreads(0);
        try (server) {
            server.start(Handlers.files(directory));
            TransferWorkers workers = ((NioConnector) server.connector()).getTransferWorkers();
            try (Download first = new Download(server.port(), "/other.bin", 8192)) {
                // The socket has room again, for less than a turn.
                first.head().read(FILE_BYTES / 3);
                Await.until("the only worker waits", () -> workers.getBusy() == 1 && workers.getQueued() == 0);
                try (Download second = new Download(server.port(), "/file.bin", 8192)) {
                    Await.until("the second queues", () -> workers.getQueued() == 1);
                    overwrite();
                    first.close();
                    assertEquals(FILE_BYTES, second.head().length());
                    second.readToEnd();
                    assertTrue(second.received() < FILE_BYTES, "a whole one, of the other version");
                }
            }
        }
    }
}
