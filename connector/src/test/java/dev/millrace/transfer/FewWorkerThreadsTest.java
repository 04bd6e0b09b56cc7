package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.NioConnector;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** There is a worker, and there will be no more: a transfer that needs one waits for that. */
@Timeout(60)
class FewWorkerThreadsTest {
    private static final int FILE_BYTES = 3_000_000;

    @TempDir
    Path directory;

    private long checksum;

    @BeforeEach
    void write() throws Exception {
        checksum = Download.checksum(TestFiles.write(directory, "file.bin", FILE_BYTES), FILE_BYTES);
    }

    private TestServer server(Connectors connectors, String algorithm) {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        NioConnector nio = (NioConnector) server.connector();
        nio.setAlgorithm(algorithm);
        nio.setMinResponseBytesPerSecond(0);
        return server;
    }

    private static Download download(TestServer server) throws Exception {
        return new Download(server.port(), "/file.bin", 8192).head();
    }

    /** Its turns are many, and each ends in the queue. */
    @ParameterizedTest
    @EnumSource(names = {"NIO", "NIO_HANDOFF", "NIO_SELECTOR"})
    void endsWhatTheOnlyWorkerHasBegun(Connectors connectors) throws Exception {
        TestServer server = server(connectors, "EqualBlocking");
        new ExhaustibleWorkers(((NioConnector) server.connector()).getTransferWorkers(), 1);
        try (server;
                Download download = download(server.start(Handlers.files(directory)))) {
            assertEquals(checksum, download.readAll(65536).checksum(), () -> download.received() + " bytes");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "NIO_HANDOFF", "NIO_SELECTOR"})
    void beginsWhenTheOnlyWorkerIsFree(Connectors connectors) throws Exception {
        TestServer server = server(connectors, "SimpleBlocking");
        NioConnector nio = (NioConnector) server.connector();
        new ExhaustibleWorkers(nio.getTransferWorkers(), 1);
        try (server;
                Download first = download(server.start(Handlers.files(directory)))) {
            Await.until("has a worker", () -> nio.getTransferWorkers().getBusy() == 1);
            try (Download second = new Download(server.port(), "/file.bin", 8192)) {
                Await.until("waits for it", () -> nio.getTransferWorkers().getQueued() == 1);
                CompletableFuture<Download> all = CompletableFuture.supplyAsync(first::uncheckedReadAll);
                assertEquals(checksum, second.head().readAll(65536).checksum(), () -> second.received() + " bytes");
                assertEquals(checksum, all.get(30, TimeUnit.SECONDS).checksum());
            }
            assertEquals(0, nio.getTransferStatistics().getAborted());
        }
    }
}
