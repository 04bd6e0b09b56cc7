package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.files.cache.LargePages;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The content cache where the system grants large pages. To have some:
 * {@code mount -t hugetlbfs none /mnt/huge; echo 8 > /proc/sys/vm/nr_hugepages}.
 */
@EnabledOnOs(OS.LINUX)
class LargePagesTest {
    /** Of direct memory, which the test for too few takes instead. */
    private static final long MOST_BYTES = 256L * 1024 * 1024;

    @TempDir
    Path directory;

    private Path mount;
    private long pageBytes;

    @BeforeEach
    void findPages() throws Exception {
        try (Stream<String> mounts = Files.lines(Path.of("/proc/mounts"))) {
            mount = mounts.map(line -> line.split(" "))
                    .filter(fields -> fields[2].equals("hugetlbfs"))
                    .map(fields -> Path.of(fields[1]))
                    .filter(Files::isWritable)
                    .findFirst()
                    .orElse(null);
        }
        assumeTrue(mount != null, "no hugetlbfs that this user may write to is mounted");
        pageBytes = Files.getFileStore(mount).getBlockSize();
        // What another size of pages has is told elsewhere.
        assumeTrue(pageBytes == memory("Hugepagesize") * 1024, "the mount is not of the usual page size");
        assumeTrue(freePages() >= 1, "no large page is free: see /proc/sys/vm/nr_hugepages");
    }

    /** Only the garbage collector gives pages back, and the next test counts them. */
    @AfterEach
    void givePagesBack() {
        if (mount != null) {
            Await.until("given back", () -> {
                System.gc();
                return Leaks.mappings(mount) == 0;
            });
        }
    }

    private static long memory(String name) throws Exception {
        try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
            return lines.filter(line -> line.startsWith(name + ":"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElse(0);
        }
    }

    /** Those that nobody has, or is promised. */
    private static long freePages() throws Exception {
        return memory("HugePages_Free") - memory("HugePages_Rsvd");
    }

    private SendfileHandler files(int cacheBytes) {
        SendfileHandler files = Handlers.files(directory);
        files.getSettings().setMaxCacheBytes(cacheBytes);
        files.getSettings().setLargePages(mount);
        return files;
    }

    private long filesOfTheMount() throws Exception {
        try (Stream<Path> all = Files.list(mount)) {
            return all.count();
        }
    }

    @Test
    void holdTheContentCache() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 10_000);
        long left = filesOfTheMount();
        SendfileHandler files = files(100 * 1024);
        SendfileContentFactory cache = files.getSendfileContentFactory();
        try (Logged logged = new Logged("dev.millrace.files.cache");
                TestServer server = new TestServer(Connectors.NIO::http).start(files);
                RawClient client = server.client()) {
            for (int i = 0; i < 10; i++) {
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            }
            assertEquals(0, logged.count("No large pages"));
            assertEquals(5, cache.getCacheHits());
            assertEquals(1, Leaks.mappings(mount));
            assertEquals(left, filesOfTheMount());
            assertEquals(0, Leaks.descriptors(mount));
        }
    }

    /** There are enough for one cache, not for that of this start and that of the last. */
    @Test
    void areThereAgainAfterARestart() throws Exception {
        long bytes = (freePages() / 2 + 1) * pageBytes;
        assumeTrue(bytes <= MOST_BYTES, "there are so many that what stands in for them would be too much");
        try (Logged logged = new Logged("dev.millrace.files.cache");
                TestServer server = new TestServer(Connectors.NIO::http).start(files((int) bytes))) {
            for (int i = 0; i < 3; i++) {
                server.server().stop();
                server.server().start();
                assertEquals(0, logged.count("No large pages"), "restart " + i);
            }
        }
    }

    @Test
    void saysWhenTheyAreTooFew() throws Exception {
        long surplus = Long.parseLong(Files.readString(Path.of("/proc/sys/vm/nr_overcommit_hugepages"))
                .trim());
        long bytes = (memory("HugePages_Total") + surplus + 1) * pageBytes;
        assumeTrue(bytes <= MOST_BYTES, "there are so many that what stands in for them would be too much");
        long left = filesOfTheMount();
        try (Logged logged = new Logged("dev.millrace.files.cache")) {
            ByteBuffer buffer = LargePages.allocate(mount, (int) bytes);
            assertTrue(buffer.isDirect());
            assertEquals(bytes, buffer.capacity());
            assertEquals(
                    1,
                    logged.count("No large pages for the content cache, ordinary ones instead: cannot map " + bytes
                            + " bytes in " + mount + " ("));
            assertEquals(1, logged.count("): too few pages in /proc/sys/vm/nr_hugepages?"));
        }
        assertEquals(left, filesOfTheMount());
    }
}
