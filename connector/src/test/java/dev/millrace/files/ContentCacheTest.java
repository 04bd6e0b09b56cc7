package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.cache.ContentCache;
import dev.millrace.files.cache.ContentMemory;
import dev.millrace.files.cache.GrowingMemory;
import dev.millrace.files.cache.LargePages;
import dev.millrace.files.cache.OpenFile;
import dev.millrace.files.cache.SliceMemory;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files sent from memory: which files come in, which leave, and that nothing is sent from memory that is somebody
 * else's by now.
 */
class ContentCacheTest {
    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void baseResource() {
        files.setBaseResourceAsString(directory.toString());
        cache().getSettings().setMaxCacheBytes(100 * 1024);
        cache().getSettings().setMaxCachedFileBytes(20_000);
    }

    private SendfileContentFactory cache() {
        return files.getSendfileContentFactory();
    }

    private TestServer server() throws Exception {
        return new TestServer(Connectors.NIO::http).start(files);
    }

    private static void get(RawClient client, String name, byte[] expected, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            assertArrayEquals(expected, client.get("/" + name).answer().body());
        }
    }

    @Test
    void leavesOutAFileThatIsLargerThanItself() throws Exception {
        cache().getSettings().setMaxCacheBytes(32 * 1024);
        cache().getSettings().setMaxCachedFileBytes(64 * 1024);
        byte[] small = TestFiles.write(directory, "small.bin", 1000);
        byte[] large = TestFiles.write(directory, "large.bin", 50_000);
        try (TestServer server = server();
                RawClient client = server.client()) {
            get(client, "small.bin", small, 5);
            assertEquals(1, cache().getCachedFiles());
            get(client, "large.bin", large, 10);
            assertEquals(1, cache().getCachedFiles());
        }
    }

    @Test
    void takesAFileWithItsFifthUse() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 10_000);
        try (TestServer server = server();
                RawClient client = server.client()) {
            get(client, "file.bin", bytes, 4);
            assertEquals(0, cache().getCachedFiles());
            get(client, "file.bin", bytes, 10);
            assertEquals(1, cache().getCachedFiles());
            assertEquals(9, cache().getCacheHits());
            assertEquals(10, cache().getObstacles().get(Obstacle.CACHED.name()));
            assertEquals(10 * 1024, cache().getCachedBytes());
            assertEquals(
                    6,
                    client.send("GET /file.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=5-10\r\n\r\n")
                            .answer()
                            .body()
                            .length);
        }
        assertEquals(0, cache().getCachedBytes());
    }

    @Test
    void takesNoLargeFile() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 20_001);
        try (TestServer server = server();
                RawClient client = server.client()) {
            get(client, "file.bin", bytes, 20);
            assertEquals(0, cache().getCachedFiles());
        }
    }

    @Test
    void refillsForEver() throws Exception {
        try (TestServer server = server();
                RawClient client = server.client()) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 40; i++) {
                    byte[] bytes = TestFiles.write(directory, round + "-" + i + ".bin", 8 * 1024 + i * 100);
                    get(client, round + "-" + i + ".bin", bytes, 7);
                }
                assertTrue(cache().getCachedFiles() >= 5, "files " + cache().getCachedFiles());
                assertTrue(cache().getCachedBytes() <= 100 * 1024);
            }
            assertTrue(cache().getCacheAdmissions() >= 60, "admissions " + cache().getCacheAdmissions());
        }
        assertEquals(0, cache().getCachedBytes());
    }

    /** Two files, of which one has room. */
    @Test
    void doesNotExchangeFilesWithoutEnd() throws Exception {
        TestFiles.write(directory, "one.bin", 20_000);
        TestFiles.write(directory, "other.bin", 20_000);
        cache().getSettings().setMaxCacheBytes(20 * 1024);
        cache().getSettings().setValidMillis(-1);
        try (TestServer ignored = server()) {
            ContentCache memory = cache().contentCache();
            ContentCache.Slot one = memory.slot(((SendfileContent) cache().getContent("/one.bin")).file());
            ContentCache.Slot other = memory.slot(((SendfileContent) cache().getContent("/other.bin")).file());
            long begin = System.nanoTime();
            for (int i = 0; i < 20_000; i++) {
                ContentMemory used = (i / 5 % 2 == 0 ? one : other).use();
                if (used != null) {
                    used.release();
                }
            }
            // After 64 a rest of 100 ms.
            long rests = (System.nanoTime() - begin) / 100_000_000L;
            assertTrue(
                    cache().getCacheAdmissions() <= 65 + 64 * rests,
                    cache().getCacheAdmissions() + " admissions, " + rests + " rests");
            assertTrue(cache().getCacheAdmissions() >= 65, cache().getCacheAdmissions() + " admissions");
        }
    }

    @Test
    void isThereUnlessUnwanted() throws Exception {
        SendfileHandler plain = Handlers.files(directory);
        byte[] bytes = TestFiles.write(directory, "file.bin", 808);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(plain);
                RawClient client = server.client()) {
            get(client, "file.bin", bytes, 4);
            assertEquals(0, plain.getSendfileContentFactory().contentCache().takenBytes());
            get(client, "file.bin", bytes, 2);
            assertEquals(1, plain.getSendfileContentFactory().getCachedFiles());
            assertEquals(1, plain.getSendfileContentFactory().getCacheHits());
        }
    }

    @Test
    void isNotThereWhenUnwanted() throws Exception {
        cache().getSettings().setMaxCacheBytes(0);
        byte[] bytes = TestFiles.write(directory, "file.bin", 808);
        try (TestServer server = server();
                RawClient client = server.client()) {
            get(client, "file.bin", bytes, 10);
            assertNull(cache().contentCache());
            assertEquals(10, cache().getObstacles().get(Obstacle.SMALL.name()));
        }
    }

    @Test
    void letsGoOfAReplacedFile() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 10_000);
        cache().getSettings().setValidMillis(50);
        try (TestServer server = server();
                RawClient client = server.client()) {
            get(client, "file.bin", bytes, 6);
            byte[] other = TestFiles.write(directory, "other.bin", 9_000);
            Files.move(directory.resolve("other.bin"), directory.resolve("file.bin"), StandardCopyOption.ATOMIC_MOVE);
            Await.until("let go", () -> cache().getCachedBytes() == 0);
            get(client, "file.bin", other, 6);
            assertEquals(9 * 1024, cache().getCachedBytes());
        }
    }

    @Test
    void slicesAreFreedOnce() {
        SliceMemory memory = new SliceMemory(ByteBuffer.allocateDirect(4 * SliceMemory.SLICE_BYTES), () -> {});
        ContentMemory first = memory.allocate(SliceMemory.SLICE_BYTES + 1);
        ContentMemory second = memory.allocate(2 * SliceMemory.SLICE_BYTES);
        assertNull(memory.allocate(1));
        assertTrue(first.tryRetain());
        first.release();
        assertEquals(4, memory.usedSlices());
        first.release();
        assertEquals(2, memory.usedSlices());
        assertFalse(first.tryRetain());
        assertThrows(IllegalStateException.class, () -> memory.free(0, 2));
        assertNull(memory.allocate(2 * SliceMemory.SLICE_BYTES + 1));
        assertNotNull(memory.allocate(2 * SliceMemory.SLICE_BYTES));
        second.release();
        assertEquals(2, memory.usedSlices());
    }

    @Test
    void saysWhyThereAreNoLargePages() {
        try (Logged logged = new Logged(LargePages.class.getName())) {
            ByteBuffer buffer = LargePages.allocate(directory, 10_000);
            assertTrue(buffer.isDirect());
            assertEquals(10_000, buffer.capacity());
            assertEquals(
                    1,
                    logged.count("No large pages for the content cache, ordinary ones instead: " + directory
                            + " is of type "));
            assertEquals(1, logged.count(", not hugetlbfs"));
            assertNotNull(GrowingMemory.of(null, 10_000, 1000).allocate(1000));
            assertEquals(1, logged.count("No large pages"), "nobody asked for any");
        }
    }

    @Test
    void saysThatTheMountIsMissing() {
        Path none = directory.resolve("none");
        try (Logged logged = new Logged(LargePages.class.getName())) {
            LargePages.allocate(none, 10_000);
            assertEquals(1, logged.count("instead: java.nio.file.NoSuchFileException: " + none));
        }
    }

    /** The fifth use of a file is one of eight at once. */
    @Test
    void oneBringsAFileIn() throws Exception {
        TestFiles.write(directory, "file.bin", 20_000);
        cache().getSettings().setValidMillis(-1);
        int atOnce = 8;
        ExecutorService users = Executors.newFixedThreadPool(atOnce);
        try (TestServer ignored = server()) {
            ContentCache memory = cache().contentCache();
            OpenFile file = ((SendfileContent) cache().getContent("/file.bin")).file();
            for (int round = 1; round <= 200; round++) {
                ContentCache.Slot slot = memory.slot(file);
                for (int i = 0; i < 4; i++) {
                    assertNull(slot.use());
                }
                CyclicBarrier together = new CyclicBarrier(atOnce);
                Callable<ContentMemory> user = () -> {
                    together.await();
                    return slot.use();
                };
                for (Future<ContentMemory> use : users.invokeAll(Collections.nCopies(atOnce, user))) {
                    if (use.get() != null) {
                        use.get().release();
                    }
                }
                assertEquals(round, cache().getCacheAdmissions());
                memory.clear();
                assertEquals(0, memory.usedBytes());
            }
        } finally {
            users.shutdownNow();
        }
    }

    /** Twenty files that fit in four at a time, asked for by readers of which some take their time. */
    @Test
    void neverSendsMemoryThatIsSomebodyElses() throws Exception {
        int count = 20;
        List<byte[]> contents = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            contents.add(TestFiles.write(directory, i + ".bin", 15_000 + i * 200));
        }
        cache().getSettings().setValidMillis(-1);
        ExecutorService readers = Executors.newFixedThreadPool(10);
        try (TestServer server = server()) {
            long begin = System.nanoTime();
            // Again where all is done within the first rests: after 64 that had to leave, nothing comes in for 100 ms.
            for (int seed = 0; cache().getCacheAdmissions() <= 100 || cache().getCacheHits() <= 100; seed += 10) {
                assertTrue(
                        System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(60),
                        "admissions " + cache().getCacheAdmissions() + ", hits " + cache().getCacheHits());
                List<Future<Void>> results = new ArrayList<>();
                for (int reader = seed; reader < seed + 10; reader++) {
                    results.add(readers.submit(reader(server.port(), contents, reader)));
                }
                for (Future<Void> result : results) {
                    result.get(60, TimeUnit.SECONDS);
                }
            }
        } finally {
            readers.shutdownNow();
        }
        assertEquals(0, cache().getCachedBytes());
    }

    private static Callable<Void> reader(int port, List<byte[]> contents, int seed) {
        Random random = new Random(seed);
        boolean isSlow = seed % 2 == 0;
        int pipelined = isSlow ? 100 : 20;
        return () -> {
            for (int round = 0; round < (isSlow ? 1 : 40); round++) {
                try (RawClient client = isSlow ? new RawClient(port, 16_384) : new RawClient(port)) {
                    int[] wanted = random.ints(pipelined, 0, contents.size()).toArray();
                    // A few at a time are hot, so that they come in and push others out.
                    for (int i = 0; i < pipelined; i++) {
                        wanted[i] = wanted[i / 10 * 10];
                        client.get("/" + wanted[i] + ".bin");
                    }
                    for (int index : wanted) {
                        assertArrayEquals(contents.get(index), client.answer().body());
                    }
                }
            }
            return null;
        };
    }
}
