package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A transfer that needs a worker where there is none, and no thread for one: its connection ends, and others are served. */
@Timeout(60)
class NoWorkerThreadTest {
    private static final int FILE_BYTES = 3_000_000;
    private static final int SMALL_BYTES = 100;
    private static final int CLIENTS = 5;

    @TempDir
    Path directory;

    /** Of {@code SimpleBlocking} the thread that writes the answer asks for a worker, of {@code EqualBlocking} the selector's. */
    static Stream<Arguments> cases() {
        return Stream.of(Connectors.NIO, Connectors.NIO_HANDOFF, Connectors.NIO_SELECTOR)
                .flatMap(
                        c -> Stream.of("SimpleBlocking", "EqualBlocking").map(algorithm -> Arguments.of(c, algorithm)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    @EnabledOnOs(OS.LINUX)
    void endsTheConnectionAndGoesOn(Connectors connectors, String algorithm) throws Exception {
        long checksum = Download.checksum(TestFiles.write(directory, "file.bin", FILE_BYTES), FILE_BYTES);
        TestFiles.write(directory, "small.bin", SMALL_BYTES);
        SendfileHandler files = Handlers.files(directory);
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        NioConnector nio = (NioConnector) server.connector();
        nio.setAlgorithm(algorithm);
        nio.setMinResponseBytesPerSecond(0);
        ExhaustibleWorkers workers = new ExhaustibleWorkers(nio.getTransferWorkers(), 0);
        try (server;
                RawClient before = server.start(files).client()) {
            assertEquals(SMALL_BYTES, before.get("/small.bin").answer().body().length);
            for (int i = 1; i <= CLIENTS; i++) {
                assertEnds(server);
                assertTrue(workers.refused() >= i, workers.refused() + " times no thread");
            }
            assertEquals(SMALL_BYTES, before.get("/small.bin").answer().body().length);
            workers.allow(Integer.MAX_VALUE);
            try (Download download = new Download(server.port(), "/file.bin", 8192)) {
                assertEquals(checksum, download.head().readAll(65536).checksum());
            }
            before.close();
            server.awaitNoEndPoints();
            Await.until(
                    "no worker is busy, none is awaited",
                    () -> nio.getTransferWorkers().getBusy() == 0
                            && nio.getTransferWorkers().getQueued() == 0);
            assertEquals(CLIENTS, nio.getTransferStatistics().getAborted());
        }
        Await.until("no file is open", () -> Leaks.descriptors(directory) == 0);
    }

    private void assertEnds(TestServer server) throws Exception {
        try (Download download = new Download(server.port(), "/file.bin", 8192)) {
            download.readToEnd();
            assertTrue(download.received() < FILE_BYTES, download.received() + " bytes without a worker");
        }
        server.awaitEndPoints(1);
    }
}
