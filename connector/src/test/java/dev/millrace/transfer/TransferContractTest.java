package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.millrace.connector.BioConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every algorithm does on every connector. Sockets take little, so that a file takes many turns. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
class TransferContractTest {
    private static final int SOCKET_BYTES = 64 * 1024;
    private static final int FILE_BYTES = 3_000_001;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    static List<String> algorithms() {
        return List.of(
                "SimpleBlocking", "EqualNonBlocking", "EqualBlocking(10000)", "EqualBlocking(81920)", "Adaptive");
    }

    private TestServer server(String algorithm, int workers) {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(SOCKET_BYTES);
        server.millrace().setAlgorithm(algorithm);
        server.millrace().setWorkers(workers);
        // A test may be slow to read.
        server.connector().setIdleTimeout(120_000);
        server.millrace().setMinResponseBytesPerSecond(0);
        return server;
    }

    private static int queued(TestServer server) {
        return server.connector() instanceof NioConnector nio
                ? nio.getTransferWorkers().getQueued()
                : ((BioConnector) server.connector()).getTransferPermits().getQueued();
    }

    private static int busy(TestServer server) {
        return server.connector() instanceof NioConnector nio
                ? nio.getTransferWorkers().getBusy()
                : ((BioConnector) server.connector()).getTransferPermits().getBusy();
    }

    private boolean selects() {
        return connectors.name().startsWith("NIO");
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void sendsTheRightBytesToFastAndSlowReaders(String algorithm) throws Exception {
        long checksum = Download.checksum(TestFiles.write(directory, "file.bin", FILE_BYTES), FILE_BYTES);
        ExecutorService clients = Executors.newCachedThreadPool();
        try (TestServer server = server(algorithm, 2).start(Handlers.files(directory))) {
            List<Future<Download>> downloads = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                boolean slow = i % 2 == 0;
                downloads.add(clients.submit(() -> {
                    try (Download download = new Download(server.port(), "/file.bin", slow ? 8192 : 0)) {
                        return download.head().readAll(slow ? 500 : 65536);
                    }
                }));
            }
            for (Future<Download> download : downloads) {
                assertEquals(FILE_BYTES, download.get().received());
                assertEquals(checksum, download.get().checksum());
            }
            TransferStatistics statistics = server.transfers();
            Await.until("counted", () -> statistics.getCompleted() == 6);
            assertEquals(0, statistics.getAborted());
            assertTrue(statistics.getTurns() >= 6, statistics.toString());
            if (algorithm.equals("EqualBlocking(10000)")) {
                assertTrue(statistics.getTurns() >= 6 * FILE_BYTES / 10_000, statistics.toString());
            }
        } finally {
            clients.shutdownNow();
        }
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void abortsWhenTheFileIsTruncated(String algorithm) throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", FILE_BYTES);
        try (Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = server(algorithm, 1).start(Handlers.files(directory));
                Download download = new Download(server.port(), "/file.bin", 8192)) {
            assertEquals(1000, download.head().read(1000));
            TestFiles.resize(directory.resolve("file.bin"), FILE_BYTES / 2);
            download.readToEnd();
            assertTrue(download.received() <= FILE_BYTES / 2, "received " + download.received());
            assertEquals(Download.checksum(bytes, (int) download.received()), download.checksum());
            TransferStatistics statistics = server.transfers();
            Await.until("counted", () -> statistics.getTruncations() == 1 && statistics.getAborted() == 1);
            server.awaitNoEndPoints();
            assertEquals(1, logged.count("file.bin was truncated"));
        }
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void goesOnWithTheFileThatItBeganWith(String algorithm) throws Exception {
        List<String> fates = List.of("replaced.bin", "deleted.bin", "unreadable.bin");
        List<Download> downloads = new ArrayList<>();
        List<Long> checksums = new ArrayList<>();
        try (TestServer server = server(algorithm, fates.size()).start(Handlers.files(directory))) {
            for (String file : fates) {
                checksums.add(Download.checksum(TestFiles.write(directory, file, FILE_BYTES), FILE_BYTES));
                Download download = new Download(server.port(), "/" + file, 8192);
                downloads.add(download);
                assertEquals(1000, download.head().read(1000));
            }
            TestFiles.write(directory, "other.bin", FILE_BYTES);
            Files.move(
                    directory.resolve("other.bin"),
                    directory.resolve("replaced.bin"),
                    StandardCopyOption.REPLACE_EXISTING);
            Files.delete(directory.resolve("deleted.bin"));
            Files.setPosixFilePermissions(
                    directory.resolve("unreadable.bin"), PosixFilePermissions.fromString("---------"));
            for (int i = 0; i < fates.size(); i++) {
                assertEquals(FILE_BYTES, downloads.get(i).readAll(65536).received(), fates.get(i));
                assertEquals(checksums.get(i), downloads.get(i).checksum(), fates.get(i));
                downloads.get(i).close();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void endsAClientThatTakesNothing(String algorithm) throws Exception {
        TestFiles.write(directory, "file.bin", FILE_BYTES);
        try (TestServer server = server(algorithm, 1).start(Handlers.files(directory));
                Download stalled = new Download(server.port(), "/file.bin", 8192)) {
            stalled.head();
            // Not before: a busy machine may take as long to begin.
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(300));
            server.awaitNoEndPoints();
            Await.until("counted", () -> server.transfers().getAborted() == 1);
            Await.until("nobody has a turn", () -> busy(server) == 0);
            try (Download next = new Download(server.port(), "/file.bin", 0)) {
                assertEquals(FILE_BYTES, next.head().readAll(65536).received());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("algorithms")
    void stopsInMidTransfer(String algorithm) throws Exception {
        TestFiles.write(directory, "file.bin", FILE_BYTES);
        List<Download> downloads = new ArrayList<>();
        try (TestServer server = server(algorithm, 2).start(Handlers.files(directory))) {
            for (int i = 0; i < 5; i++) {
                downloads.add(new Download(server.port(), "/file.bin", 8192));
            }
            Await.until("all begun", () -> server.transfers().getRegions() == 5);
            server.server().stop();
            assertEquals(0, busy(server));
            assertEquals(0, queued(server));
            awaitNoWorker();
        }
        for (Download download : downloads) {
            download.readToEnd();
            assertTrue(download.received() < FILE_BYTES);
            download.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"EqualNonBlocking", "Adaptive"})
    void oneWorkerServesAllWhenItWaitsForNobody(String algorithm) throws Exception {
        servesAllWithOneWorker(algorithm);
    }

    /** Nobody reads but the one whose turn it is in the test. */
    private void servesAllWithOneWorker(String algorithm) throws Exception {
        long checksum = Download.checksum(TestFiles.write(directory, "file.bin", FILE_BYTES), FILE_BYTES);
        List<Download> downloads = new ArrayList<>();
        try (TestServer server = server(algorithm, 1).start(Handlers.files(directory))) {
            for (int i = 0; i < 30; i++) {
                downloads.add(new Download(server.port(), "/file.bin", 8192));
            }
            for (Download download : downloads) {
                assertEquals(1000, download.head().read(1000));
            }
            for (int i = downloads.size() - 1; i >= 0; i--) {
                assertEquals(checksum, downloads.get(i).readAll(65536).checksum());
                downloads.get(i).close();
            }
        }
    }

    @Test
    void simpleBlockingQueuesWhereWorkersAreFew() throws Exception {
        if (!selects()) {
            // A thread for each connection: nobody queues.
            servesAllWithOneWorker("SimpleBlocking");
            return;
        }
        long checksum = Download.checksum(TestFiles.write(directory, "file.bin", FILE_BYTES), FILE_BYTES);
        List<Download> downloads = new ArrayList<>();
        try (TestServer server = server("SimpleBlocking", 1).start(Handlers.files(directory))) {
            for (int i = 0; i < 5; i++) {
                downloads.add(new Download(server.port(), "/file.bin", 8192));
                int begun = i + 1;
                Await.until("begun", () -> busy(server) == 1 && queued(server) == begun - 1);
            }
            for (int i = 0; i < 5; i++) {
                // The head is there, but of the bodies only that of the first in the queue.
                assertEquals(4 - i, queued(server));
                Download download = downloads.get(i);
                if (i < 4) {
                    assertEquals(0, downloads.get(i + 1).head().client().in().available());
                }
                assertEquals(
                        checksum,
                        (i == 0 ? download.head() : download).readAll(65536).checksum());
                int left = Math.max(0, 3 - i);
                Await.until("next", () -> queued(server) == left);
                download.close();
            }
        }
    }

    @Test
    void newTransfersFollowTheNewAlgorithm() throws Exception {
        TestFiles.write(directory, "file.bin", FILE_BYTES);
        TestFiles.write(directory, "small.bin", SOCKET_BYTES / 2);
        try (TestServer server = server(selects() ? "SimpleBlocking" : "EqualBlocking(81920)", 1)
                        .start(Handlers.files(directory));
                Download stalled = new Download(server.port(), "/file.bin", 8192)) {
            Await.until("the only worker waits", () -> busy(server) == 1);
            try (Download queued = new Download(server.port(), "/file.bin", 8192)) {
                queued.head();
                Await.until("the second queues", () -> queued(server) == 1);
                server.millrace().setAlgorithm("EqualNonBlocking");
                assertEquals("EqualNonBlocking", server.millrace().getAlgorithm());
                try (Download small = new Download(server.port(), "/small.bin", 0)) {
                    assertEquals(SOCKET_BYTES / 2, small.head().readAll(65536).received());
                }
                // Together, for they may wait for each other.
                CompletableFuture<Long> second = CompletableFuture.supplyAsync(
                        () -> queued.uncheckedReadAll().received());
                assertEquals(FILE_BYTES, stalled.head().readAll(65536).received());
                assertEquals(FILE_BYTES, second.get());
            }
        }
    }

    /** Fifty take little at a time and one takes all it can get: each gets what it asks for, by one worker. */
    @ParameterizedTest
    @ValueSource(strings = {"EqualNonBlocking", "Adaptive"})
    void sharesOneWorkerAmongSlowAndFast(String algorithm) throws Exception {
        TestFiles.resize(directory.resolve("endless.bin"), 1L << 40);
        TestFiles.write(directory, "file.bin", FILE_BYTES);
        List<Download> slow = new ArrayList<>();
        TestServer server = server(algorithm, 1);
        try (server;
                Download fast =
                        new Download(server.start(Handlers.files(directory)).port(), "/endless.bin", 0)) {
            fast.head();
            Thread greedy = new Thread(fast::readToEnd);
            greedy.start();
            Await.until("it has begun", () -> fast.received() > 0);
            for (int i = 0; i < 50; i++) {
                slow.add(new Download(server.port(), "/file.bin", 8192).head());
            }
            long begun = fast.received();
            // More than sockets hold: what is read in the last rounds was sent in turns.
            for (int round = 1; round <= 50; round++) {
                for (Download download : slow) {
                    assertEquals(10_000, download.read(10_000));
                }
                // Nobody keeps the fast one to the share of a slow one. Others are served while the system gives the
                // thread of its turn no processor, so the test waits for it.
                long due = begun + 10L * round * 10_000;
                Await.until("ten times as much", () -> fast.received() > due, () -> fast.received() + " of " + due);
            }
            // Each of the slow ones has got all that it asked for, half a megabyte.
            long share = fast.received();
            // Now they stall, and the fast one goes on.
            long target = share + 10_000_000;
            Await.until("it goes on", () -> fast.received() > target, () -> fast.received() + " of " + target);
            TransferStatistics statistics = server.transfers();
            // The fast one may have ended a region of two gigabytes, and begun the next.
            Await.until(
                    "all go on", () -> statistics.getRegions() - statistics.getCompleted() == 51, statistics::toString);
            assertEquals(0, statistics.getAborted());
            fast.client().socket().close();
            greedy.join();
            for (Download download : slow) {
                download.close();
            }
        }
    }

    @Test
    void leavesNoDescriptorAndNoThread() throws Exception {
        TestFiles.write(directory, "file.bin", FILE_BYTES);
        var system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        downloadAndStop();
        long descriptors = system.getOpenFileDescriptorCount();
        downloadAndStop();
        Await.until(
                "descriptors closed",
                () -> system.getOpenFileDescriptorCount() <= descriptors,
                () -> system.getOpenFileDescriptorCount() + " instead of " + descriptors);
        awaitNoWorker();
    }

    // A thread that has left its pool has some instructions left.
    private static void awaitNoWorker() {
        Await.until(
                "no worker",
                () -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().contains("-transfer-")));
    }

    private void downloadAndStop() throws Exception {
        List<Download> downloads = new ArrayList<>();
        try (TestServer server = server("SimpleBlocking", 4).start(Handlers.files(directory))) {
            for (int i = 0; i < 4; i++) {
                downloads.add(new Download(server.port(), "/file.bin", 8192).head());
            }
            downloads.get(0).readAll(65536);
            downloads.get(1).close();
        }
        for (Download download : downloads) {
            download.close();
        }
    }
}
