package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.OperatingSystemMXBean;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * While clients take nothing, no thread does anything: sendfile that returns 0 is no reason to call it again at once. All
 * algorithms together, for a window is as long for one as for all.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(60)
class StalledTransfersTest {
    private static final int FILE_BYTES = 3_000_000;
    /** A thread that spins has all of a core, or half of one on a busy machine, in every window. */
    private static final int WINDOW_MILLIS = 500;

    private static final double MOST_OF_A_CORE = 0.25;
    /** The first ones may have the compiler and the garbage collector at work. */
    private static final int WINDOWS = 8;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final List<String> windows = new ArrayList<>();

    private TestServer server() {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        // However slow the machine is.
        server.connector().setIdleTimeout(120_000);
        server.millrace().setMinResponseBytesPerSecond(0);
        return server;
    }

    /** One of each algorithm. */
    private static List<Download> begin(TestServer server, String path) throws Exception {
        List<Download> downloads = new ArrayList<>();
        for (String algorithm : TransferContractTest.algorithms()) {
            server.millrace().setAlgorithm(algorithm);
            downloads.add(new Download(server.port(), path, 8192).head());
        }
        return downloads;
    }

    /** Looks at one window after the other, until nothing was sent in one, and next to nothing done. */
    private void assertNothingSpins(TransferStatistics statistics) throws Exception {
        ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
        try {
            for (int i = 0; i < WINDOWS; i++) {
                long sent = statistics.getTransferredBytes() + statistics.getCopiedBytes();
                long began = System.nanoTime();
                long cpu = system.getProcessCpuTime();
                double share = clock.schedule(
                                () -> (double) (system.getProcessCpuTime() - cpu) / (System.nanoTime() - began),
                                WINDOW_MILLIS,
                                TimeUnit.MILLISECONDS)
                        .get();
                sent = statistics.getTransferredBytes() + statistics.getCopiedBytes() - sent;
                windows.add(Math.round(100 * share) + " % of a core for " + sent + " bytes");
                if (sent == 0 && share < MOST_OF_A_CORE) {
                    return;
                }
            }
        } finally {
            clock.shutdownNow();
        }
        fail("no window in which nothing happened: " + windows);
    }

    private void shorten(String name) throws Exception {
        TestFiles.resize(directory.resolve(name), FILE_BYTES / 2);
    }

    @Test
    void keepNoThreadBusy() throws Exception {
        int each = TransferContractTest.algorithms().size();
        TestFiles.write(directory, "stalled.bin", FILE_BYTES);
        TestFiles.write(directory, "drained.bin", FILE_BYTES);
        List<Download> downloads = new ArrayList<>();
        try (TestServer server = server().start(Handlers.files(directory))) {
            TransferStatistics statistics = server.transfers();
            downloads.addAll(begin(server, "/stalled.bin"));
            List<Download> drained = begin(server, "/drained.bin");
            downloads.addAll(drained);
            assertNothingSpins(statistics);
            assertEquals(0, statistics.getCompleted() + statistics.getAborted());
            shorten("stalled.bin");
            shorten("drained.bin");
            // There comes room in their sockets, and nothing to fill it with.
            for (Download download : drained) {
                download.readToEnd();
                assertTrue(download.received() <= FILE_BYTES / 2, "received " + download.received());
            }
            Await.until("counted", () -> statistics.getTruncations() == each && statistics.getAborted() == each);
            assertNothingSpins(statistics);
            assertEquals(each, server.connector().getConnectedEndPoints().size(), "the others have noticed nothing");
        } finally {
            for (Download download : downloads) {
                download.close();
            }
        }
    }
}
