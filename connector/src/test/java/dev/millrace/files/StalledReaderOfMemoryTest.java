package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.cache.SliceMemory;
import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.util.NanoTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory of the content cache is its reader's until the last byte is sent, and nobody else's. */
class StalledReaderOfMemoryTest {
    private static final int FILE_BYTES = 400_000;

    @TempDir
    Path directory;

    private static TestServer server(Connectors connectors, SendfileSettings settings) {
        settings.setMaxCacheBytes(FILE_BYTES + SliceMemory.SLICE_BYTES);
        settings.setMaxCachedFileBytes(FILE_BYTES);
        settings.setValidMillis(50);
        TestServer server = new TestServer(connectors::http);
        server.connector().setAcceptedSendBufferSize(16 * 1024);
        return server;
    }

    private static void get(RawClient client, String path, byte[] expected, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            assertArrayEquals(expected, client.get(path).answer().body());
        }
    }

    @Test
    void keepsWhatHeIsSent() throws Exception {
        AtOnce.on(
                Connectors.senders(),
                connectors -> assertKeepsWhatHeIsSent(
                        connectors, Files.createDirectory(directory.resolve(connectors.name()))));
    }

    private static void assertKeepsWhatHeIsSent(Connectors connectors, Path root) throws Exception {
        byte[] first = TestFiles.write(root, "first.bin", FILE_BYTES);
        byte[] second = TestFiles.write(root, "second.bin", FILE_BYTES);
        SendfileHandler files = Handlers.files(root);
        SendfileContentFactory cache = files.getSendfileContentFactory();
        TestServer server = server(connectors, files.getSettings());
        try (server;
                RawClient client = new RawClient(server.start(files).port());
                RawClient stalled = new RawClient(server.port(), 8192)) {
            get(client, "/first.bin", first, 5);
            assertEquals(1, cache.getCachedFiles());
            stalled.get("/first.bin");
            // With the head have come as many bytes as the sockets take, which is far from all.
            String status = stalled.line();
            assertEquals("HTTP/1.1 200 OK", status);
            assertEquals(1, cache.getCacheHits());
            Files.delete(root.resolve("first.bin"));
            Await.until("the first has left", () -> cache.getCachedFiles() == 0);
            get(client, "/second.bin", second, 8);
            assertEquals(0, cache.getCachedFiles(), "there is no room for the second");
            while (!stalled.line().isEmpty()) {
                // The fields before the body.
            }
            assertArrayEquals(first, stalled.in().readNBytes(FILE_BYTES));
            Await.until("the memory is free", () -> cache.getCachedBytes() == 0);
            long begin = NanoTime.now();
            // The cache was full a moment ago, and takes nothing for a while after.
            while (cache.getCachedFiles() == 0) {
                assertTrue(NanoTime.secondsSince(begin) < 20, "the second comes in");
                get(client, "/second.bin", second, 1);
            }
        }
    }
}
