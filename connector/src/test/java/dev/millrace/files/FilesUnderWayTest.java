package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that slow readers hold, besides those that the cache keeps: no more than one for each answer, whatever comes and goes. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class FilesUnderWayTest {
    private static final int MAX_OPEN_FILES = 2;
    private static final int LARGE_FILES = 8;
    private static final int SMALL_FILES = 20;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private SendfileHandler files;

    @BeforeEach
    void files() throws Exception {
        for (int i = 0; i < LARGE_FILES; i++) {
            TestFiles.write(directory, "large" + i, 1_000_000);
        }
        for (int i = 0; i < SMALL_FILES; i++) {
            TestFiles.write(directory, "small" + i, 20_000);
        }
        files = Handlers.files(directory);
        files.getSettings().setMaxOpenFiles(MAX_OPEN_FILES);
        files.getSettings().setMaxCacheBytes(0);
    }

    private TestServer server() throws Exception {
        TestServer server = new TestServer(connectors::httpAndHttp2);
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        // However slow the machine is.
        server.connector().setIdleTimeout(120_000);
        server.millrace().setMinResponseBytesPerSecond(0);
        return server.start(files);
    }

    private long large() {
        return Leaks.descriptors(directory.resolve("large"));
    }

    /** Asks for so many files that all others have to leave the cache. */
    private void crowd(TestServer server) throws Exception {
        try (RawClient client = server.client()) {
            for (int i = 0; i < SMALL_FILES; i++) {
                assertEquals(200, client.get("/small" + i).answer().status());
            }
        }
    }

    private void awaitNoMoreThan(int answers) {
        Await.until(
                "given back",
                () -> Leaks.descriptors(directory) <= MAX_OPEN_FILES + answers,
                () -> Leaks.descriptors(directory) + " are open");
    }

    @Test
    void areOneForEachConnection() throws Exception {
        List<RawClient> readers = new ArrayList<>();
        try (TestServer server = server()) {
            // The first files are asked for again when others have come: the cache may have them no more.
            for (int i = 0; i < LARGE_FILES + MAX_OPEN_FILES; i++) {
                RawClient reader = new RawClient(server.port(), 8192);
                readers.add(reader);
                reader.get("/large" + i % LARGE_FILES);
                assertEquals('H', reader.in().read());
            }
            crowd(server);
            awaitNoMoreThan(readers.size());
            assertTrue(large() >= LARGE_FILES, "all are being sent");
            for (RawClient reader : readers) {
                reader.close();
            }
            awaitNoMoreThan(0);
        } finally {
            for (RawClient reader : readers) {
                reader.close();
            }
        }
    }

    @Test
    void areOneForEachStreamOfHttp2() throws Exception {
        try (TestServer server = server()) {
            try (RawClient client = server.client()) {
                Http2Frames frames = new Http2Frames(client);
                frames.setWindows(0);
                for (int i = 0; i < LARGE_FILES; i++) {
                    frames.get("/large" + i);
                }
                Await.until("all are being sent", () -> large() == LARGE_FILES);
                crowd(server);
                awaitNoMoreThan(LARGE_FILES);
                assertEquals(LARGE_FILES, large(), "of one connection");
            }
            awaitNoMoreThan(0);
        }
    }
}
