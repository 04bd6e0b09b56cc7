package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A file that leaves the cache in the middle of an answer is its reader's until the last byte is sent, and then nobody's. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class FewOpenFilesTest {
    private static final int FILES = 20;
    private static final int MAX_OPEN_FILES = 4;
    private static final int SLOW = 4;
    private static final int FAST = 4;
    private static final int ROUNDS = 3;
    private static final int PIPELINED = 10;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();
    private final List<byte[]> contents = new ArrayList<>();

    @BeforeEach
    void writeFiles() throws Exception {
        SendfileSettings settings = files.getSettings();
        files.setBaseResourceAsString(directory.toString());
        settings.setMaxOpenFiles(MAX_OPEN_FILES);
        settings.setMaxCacheBytes(0);
        settings.setValidMillis(-1);
        for (int i = 0; i < FILES; i++) {
            contents.add(TestFiles.write(directory, i + ".bin", 20_000 + i * (1_000_000 - 20_000) / (FILES - 1)));
        }
    }

    private TestServer server() {
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        // However slow the machine is: the slow ones wait for the fast ones.
        server.connector().setIdleTimeout(120_000);
        return server;
    }

    private void check(RawClient client, int index) throws Exception {
        byte[] body = client.answer().body();
        assertEquals(-1, Arrays.mismatch(contents.get(index), body), "the first wrong byte of " + index + ".bin");
    }

    /** Has asked for large files, and waits in the middle of the first until others have filled the cache several times. */
    private Callable<Void> slow(int port, int seed, CountDownLatch asked, CountDownLatch crowded) {
        return () -> {
            try (RawClient client = new RawClient(port, 8192)) {
                int[] wanted = new Random(seed).ints(PIPELINED, 0, FILES).toArray();
                wanted[0] = FILES - 1 - seed;
                for (int index : wanted) {
                    client.get("/" + index + ".bin");
                }
                assertEquals('H', client.in().read());
                asked.countDown();
                assertTrue(crowded.await(60, TimeUnit.SECONDS));
                for (int index : wanted) {
                    check(client, index);
                }
            }
            return null;
        };
    }

    private Callable<Void> fast(int port, int seed, CountDownLatch asked) {
        return () -> {
            Random random = new Random(seed);
            asked.await();
            for (int round = 0; round < ROUNDS; round++) {
                try (RawClient client = new RawClient(port)) {
                    int[] wanted = random.ints(PIPELINED, 0, FILES).toArray();
                    for (int index : wanted) {
                        client.get("/" + index + ".bin");
                    }
                    for (int index : wanted) {
                        check(client, index);
                    }
                }
            }
            return null;
        };
    }

    @Test
    void neverSendsAFileThatIsSomebodyElses() throws Exception {
        ExecutorService readers = Executors.newCachedThreadPool();
        try (TestServer server = server().start(files)) {
            CountDownLatch asked = new CountDownLatch(SLOW);
            CountDownLatch crowded = new CountDownLatch(1);
            List<Future<Void>> slow = new ArrayList<>();
            List<Future<Void>> fast = new ArrayList<>();
            for (int i = 0; i < SLOW; i++) {
                slow.add(readers.submit(slow(server.port(), i, asked, crowded)));
            }
            for (int i = 0; i < FAST; i++) {
                fast.add(readers.submit(fast(server.port(), SLOW + i, asked)));
            }
            for (Future<Void> reader : fast) {
                reader.get(60, TimeUnit.SECONDS);
            }
            crowded.countDown();
            for (Future<Void> reader : slow) {
                reader.get(60, TimeUnit.SECONDS);
            }
            assertTrue(server.transfers().getTransferredBytes() > 0);
            Await.until(
                    "only the cache's are open",
                    () -> Leaks.descriptors(directory) <= MAX_OPEN_FILES
                            && Leaks.mappings(directory) <= MAX_OPEN_FILES);
        } finally {
            readers.shutdownNow();
        }
        Await.until("given back", () -> Leaks.descriptors(directory) == 0 && Leaks.mappings(directory) == 0);
    }
}
