package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.files.cache.ContentCache;
import dev.millrace.files.cache.ContentMemory;
import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that the kernel cannot send, above all over TLS, come from memory up to a larger size. */
class CopiedContentCacheTest {
    private static final int FILE_BYTES = 700_000;

    @TempDir
    Path directory;

    private static void get(RawClient client, byte[] expected, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            assertArrayEquals(expected, client.get("/file.bin").answer().body());
        }
    }

    @Test
    void comesFromMemoryOverTls() throws Exception {
        Tls tls = new Tls();
        AtOnce.on(Connectors.senders(), connectors -> {
            assertComesFromMemory(
                    Files.createDirectory(directory.resolve(connectors.name())),
                    new TestServer(server -> connectors.https(server, tls)),
                    tls);
        });
    }

    private static void assertComesFromMemory(Path root, TestServer tlsServer, Tls tls) throws Exception {
        byte[] bytes = TestFiles.write(root, "file.bin", FILE_BYTES);
        SendfileHandler files = Handlers.files(root);
        SendfileContentFactory cache = files.getSendfileContentFactory();
        cache.getSettings().setValidMillis(0);
        try (TestServer server = tlsServer.start(files);
                RawClient client = tls.connect(server.port())) {
            get(client, bytes, 4);
            assertEquals(0, cache.getCachedFiles());
            get(client, bytes, 3);
            assertEquals(1, cache.getCachedFiles());
            assertEquals(2, cache.getCacheHits());
            assertEquals(3, cache.getObstacles().get(Obstacle.CACHED.name()));
            assertArrayEquals(
                    Arrays.copyOfRange(bytes, 300_000, 600_000),
                    client.send("GET /file.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=300000-599999\r\n\r\n")
                            .answer()
                            .body());
            byte[] other = TestFiles.write(root, "other.bin", FILE_BYTES + 1);
            Files.move(root.resolve("other.bin"), root.resolve("file.bin"), StandardCopyOption.ATOMIC_MOVE);
            get(client, other, 6);
        }
        assertEquals(0, cache.getCachedBytes());
    }

    @Test
    void comesFromMemoryOverHttp2() throws Exception {
        Tls tls = new Tls();
        byte[] bytes = TestFiles.write(directory, "file.bin", FILE_BYTES);
        AtOnce.on(Connectors.senders(), connectors -> {
            SendfileHandler files = Handlers.files(directory);
            SendfileContentFactory cache = files.getSendfileContentFactory();
            try (TestServer server = new TestServer(jetty -> connectors.http2(jetty, tls)).start(files);
                    RawClient client = tls.over(new Socket("127.0.0.1", server.port()), "h2")) {
                Http2Frames frames = new Http2Frames(client).openWindows();
                for (int i = 0; i < 7; i++) {
                    assertArrayEquals(bytes, frames.get("/file.bin").contentBytes());
                }
                assertEquals(1, cache.getCachedFiles());
                assertEquals(2, cache.getCacheHits());
                assertEquals(3, cache.getObstacles().get(Obstacle.CACHED.name()));
            }
        });
    }

    @Test
    void isSentByTheKernelInClearText() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", FILE_BYTES);
        SendfileHandler files = Handlers.files(directory);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files);
                RawClient client = server.client()) {
            get(client, bytes, 10);
            assertEquals(0, files.getSendfileContentFactory().getCachedFiles());
        }
    }

    private ContentCache.Slot slot(SendfileContentFactory files, String name, int bytes) throws Exception {
        TestFiles.write(directory, name, bytes);
        return files.contentCache().slot(((SendfileContent) files.getContent("/" + name)).file());
    }

    private static boolean isUsed(ContentMemory content) {
        if (content != null) {
            content.release();
        }
        return content != null;
    }

    /** Room for 40 KiB, a quarter of it for one large file. */
    @Test
    void takesNoRoomFromSmallFiles() throws Exception {
        SendfileHandler handler = Handlers.files(directory);
        handler.getSettings().setMaxCacheBytes(40 * 1024);
        handler.getSettings().setMaxCachedFileBytes(1024);
        SendfileContentFactory files = handler.getSendfileContentFactory();
        try (TestServer ignored = new TestServer(Connectors.NIO::http).start(handler)) {
            ContentCache cache = files.contentCache();
            ContentCache.Slot[] large = new ContentCache.Slot[5];
            for (int i = 0; i < large.length; i++) {
                large[i] = slot(files, "large" + i, 10_000);
            }
            assertFalse(large[0].isSmall(), "its own way");
            for (int i = 0; i < 4; i++) {
                comesIn(large[i]);
            }
            assertEquals(4, cache.files());
            comesIn(large[4]);
            assertEquals(4, cache.files(), "in place of another");
            for (int i = 0; i < 31; i++) {
                ContentCache.Slot small = slot(files, "small" + i, 1024);
                Await.until("in", () -> isUsed(small.use()));
            }
            ContentCache.Slot late = slot(files, "late", 10_000);
            Await.until("only small ones", () -> {
                boolean isIn = isUsed(late.use());
                return !isIn && cache.usedBytes() <= 40 * 1024 && cache.files() >= 31;
            });
            assertNull(slot(files, "tooLarge", 10_241));
        }
    }

    private static void comesIn(ContentCache.Slot slot) {
        for (int i = 0; i < 4; i++) {
            assertFalse(isUsed(slot.use()));
        }
        Await.until("in", () -> isUsed(slot.use()));
    }
}
