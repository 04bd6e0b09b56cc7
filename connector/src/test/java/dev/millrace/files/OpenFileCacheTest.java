package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.content.HttpContent;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the cache of open files keeps, when it notices changes, and what it gives back. */
class OpenFileCacheTest {
    private static final long FOR_EVER = -1;
    private static final FileTime LONG_AGO = FileTime.from(Instant.ofEpochSecond(1_000_000_000));

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void baseResource() {
        files.setBaseResourceAsString(directory.toString());
    }

    private SendfileContentFactory cache() {
        return files.getSendfileContentFactory();
    }

    private TestServer server() throws Exception {
        return new TestServer(Connectors.NIO::http).start(files);
    }

    private void replace(String name, int size) throws Exception {
        TestFiles.write(directory, "other", size);
        Files.move(directory.resolve("other"), directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    // All fields but the date of the answer itself, which may be a second later.
    private static Map<String, String> ofTheFile(Answer answer) {
        Map<String, String> fields = new TreeMap<>(answer.headers());
        assertNotNull(fields.remove("Date"));
        return fields;
    }

    @Test
    void answersFromOneSnapshotWithoutAskingTheFileSystem() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        cache().getSettings().setValidMillis(FOR_EVER);
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer first = client.get("/file.bin").answer();
            replace("file.bin", 50);
            Answer second = client.get("/file.bin").answer();
            assertEquals(ofTheFile(first), ofTheFile(second));
            assertArrayEquals(bytes, second.body());
            Files.delete(directory.resolve("file.bin"));
            assertArrayEquals(bytes, client.get("/file.bin").answer().body());
        }
    }

    @Test
    void noticesAReplacedFileAfterItsValidity() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        cache().getSettings().setValidMillis(50);
        try (TestServer server = server();
                RawClient client = server.client()) {
            assertEquals(100_000, client.get("/file.bin").answer().body().length);
            replace("file.bin", 50);
            Await.until("replaced", () -> get(client, "/file.bin").body().length == 50);
        }
    }

    @Test
    void noticesEveryChangeWithoutValidity() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        cache().getSettings().setValidMillis(0);
        files.setEtags(true);
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer first = client.get("/file.bin").answer();
            replace("file.bin", 99_999);
            Answer second = client.get("/file.bin").answer();
            assertEquals(99_999, second.body().length);
            assertNotEquals(first.headers().get("ETag"), second.headers().get("ETag"));
            Files.setLastModifiedTime(directory.resolve("file.bin"), LONG_AGO);
            assertEquals(
                    "Sun, 09 Sep 2001 01:46:40 GMT",
                    client.get("/file.bin").answer().headers().get("Last-Modified"));
            Files.delete(directory.resolve("file.bin"));
            assertEquals(404, client.get("/file.bin").answer().status());
            TestFiles.write(directory, "file.bin", 10);
            assertEquals(10, client.get("/file.bin").answer().body().length);
        }
    }

    @Test
    void letsGoOfAFileThatIsFoundShorter() throws Exception {
        cache().getSettings().setValidMillis(FOR_EVER);
        try (TestServer server = server()) {
            for (int size : new int[] {1000, 50_000, 1_000_000}) {
                assertLetsGoOfAShorterFile(server, "sent" + size, size);
            }
            cache().getSettings().setMinTransferBytes(Integer.MAX_VALUE);
            assertLetsGoOfAShorterFile(server, "copied", 1_000_000);
        }
    }

    private void assertLetsGoOfAShorterFile(TestServer server, String name, int size) throws Exception {
        byte[] bytes = TestFiles.write(directory, name, size);
        try (RawClient client = server.client()) {
            assertArrayEquals(bytes, client.get("/" + name).answer().body());
            byte[] shorter = TestFiles.write(directory, name, size / 2);
            try {
                assertEquals(500, client.get("/" + name).answer().status());
            } catch (IOException cut) {
                assertTrue(size > 1000, "nothing is sent of what is read at once");
            }
            try (RawClient next = server.client()) {
                assertArrayEquals(shorter, next.get("/" + name).answer().body());
            }
        }
    }

    @Test
    void noticesAnotherFileOfTheSameSizeAndTime() throws Exception {
        byte[] first = TestFiles.write(directory, "file.bin", 100_000);
        byte[] second = TestFiles.write(directory, "other.bin", 100_000);
        Files.setLastModifiedTime(directory.resolve("file.bin"), LONG_AGO);
        Files.setLastModifiedTime(directory.resolve("other.bin"), LONG_AGO);
        cache().getSettings().setValidMillis(0);
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer before = client.get("/file.bin").answer();
            assertArrayEquals(first, before.body());
            Files.move(directory.resolve("other.bin"), directory.resolve("file.bin"), StandardCopyOption.ATOMIC_MOVE);
            Answer after = client.get("/file.bin").answer();
            assertArrayEquals(second, after.body());
            assertEquals(before.headers().get("Last-Modified"), after.headers().get("Last-Modified"));
        }
    }

    private static Answer get(RawClient client, String path) {
        try {
            return client.get(path).answer();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void noticesThatAFileMayNoLongerBeRead() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        cache().getSettings().setValidMillis(0);
        try (TestServer server = server();
                RawClient client = server.client()) {
            assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            Files.setPosixFilePermissions(directory.resolve("file.bin"), PosixFilePermissions.fromString("-wx------"));
            assumeFalse(Files.isReadable(directory.resolve("file.bin")), "root reads everything");
            // Looked at every second: whether a file may be read.
            Await.until("no longer sent", () -> get(client, "/file.bin").status() >= 400);
        }
    }

    @Test
    void isBounded() throws Exception {
        cache().getSettings().setMaxOpenFiles(10);
        cache().getSettings().setMissingMillis(1000);
        try (TestServer server = server();
                RawClient client = server.client()) {
            for (int i = 0; i < 100; i++) {
                byte[] bytes = TestFiles.write(directory, i + ".bin", 20_000 + i);
                assertArrayEquals(bytes, client.get("/" + i + ".bin").answer().body());
                assertEquals(404, client.get("/missing" + i).answer().status());
            }
            Await.until("bounded", () -> cache().getOpenFiles() <= 10 && cache().getMissingPaths() <= 10);
            if (OS.LINUX.isCurrentOs()) {
                // Those that had to leave are closed a moment later.
                Await.until("given back", () -> Leaks.descriptors(directory) <= 10 && Leaks.mappings(directory) <= 10);
                assertTrue(
                        Leaks.descriptors(directory) > 0 && Leaks.mappings(directory) > 0,
                        "those in the cache are open");
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void givesDescriptorsAndMappingsBackWhenTheServerStops() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        try (TestServer server = server();
                RawClient client = server.client()) {
            client.get("/file.bin").answer();
            assertEquals(1, Leaks.descriptors(directory));
            assertEquals(1, Leaks.mappings(directory));
        }
        // A job that closes them may still run.
        Await.until("given back", () -> Leaks.descriptors(directory) == 0 && Leaks.mappings(directory) == 0);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void letsGoOfDeletedAndReplacedFilesThatNobodyAsksFor() throws Exception {
        TestFiles.write(directory, "deleted.bin", 100_000);
        TestFiles.write(directory, "replaced.bin", 100_000);
        TestFiles.write(directory, "kept.bin", 100_000);
        cache().getSettings().setValidMillis(300);
        try (TestServer server = server();
                RawClient client = server.client()) {
            for (String name : new String[] {"deleted", "replaced", "kept"}) {
                client.get("/" + name + ".bin").answer();
            }
            assertEquals(3, Leaks.descriptors(directory));
            Files.delete(directory.resolve("deleted.bin"));
            replace("replaced.bin", 100_000);
            Await.until("let go", () -> Leaks.descriptors(directory) == 1 && Leaks.mappings(directory) == 1);
            assertEquals(1, cache().getOpenFiles());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void keepsADeletedFileUntilItIsSent() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 30_000_000);
        cache().getSettings().setValidMillis(50);
        try (TestServer server = server();
                RawClient client = new RawClient(server.port(), 8192)) {
            client.get("/file.bin");
            assertEquals('H', client.in().read());
            Files.delete(directory.resolve("file.bin"));
            Await.until("out of the cache", () -> cache().getOpenFiles() == 0);
            assertEquals(1, Leaks.descriptors(directory));
            assertArrayEquals(bytes, client.answer().body());
            Await.until("let go", () -> Leaks.descriptors(directory) == 0 && Leaks.mappings(directory) == 0);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void givesFilesBackWhenPeersGoAway() throws Exception {
        TestFiles.write(directory, "file.bin", 30_000_000);
        cache().getSettings().setValidMillis(50);
        String[] requests = {"", "Range: bytes=0-9999999,20000000-29999999\r\n"};
        try (TestServer server = server()) {
            for (int i = 0; i < 20; i++) {
                try (RawClient client = new RawClient(server.port(), 8192)) {
                    client.send("GET /file.bin HTTP/1.1\r\nHost: localhost\r\n" + requests[i % 2] + "\r\n");
                    assertEquals('H', client.in().read());
                }
            }
            server.awaitNoEndPoints();
            Files.delete(directory.resolve("file.bin"));
            Await.until("let go", () -> Leaks.descriptors(directory) == 0 && Leaks.mappings(directory) == 0);
        }
    }

    @Test
    void survivesAnInterruptedReader() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1000);
        cache().getSettings().setValidMillis(FOR_EVER);
        try (TestServer server = server();
                RawClient client = server.client()) {
            HttpContent before = cache().getContent("/file.bin");
            Thread.currentThread().interrupt();
            assertThrows(
                    ClosedByInterruptException.class,
                    () -> ((SendfileContent) before).file().channel().size());
            assertTrue(Thread.interrupted());
            assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            assertNotEquals(before, cache().getContent("/file.bin"));
            assertSame(cache().getContent("/file.bin"), cache().getContent("/file.bin"));
        }
    }

    @Test
    void blamesAFileThatWasReplacedWhenAnInterruptHadClosedIt() throws Exception {
        TestFiles.write(directory, "file.bin", 1000);
        try (TestServer server = server()) {
            OpenFile file = ((SendfileContent) cache().getContent("/file.bin")).file();
            file.channel().close();
            replace("file.bin", 1000);
            // Which is how the end of a transfer tells it from a client that went.
            assertThrows(FileSystemException.class, file::channel);
        }
    }

    @Test
    void neverMixesVersionsWhileFilesAreReplaced() throws Exception {
        int versions = 200;
        cache().getSettings().setValidMillis(1);
        replaceVersion(0);
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger answers = new AtomicInteger();
        CountDownLatch readers = new CountDownLatch(4);
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (TestServer server = server()) {
            for (int i = 0; i < 4; i++) {
                String[] fields = i == 3 ? new String[] {"Range: bytes=0-9,20-29"} : new String[0];
                new Thread(() -> {
                            try (RawClient client = server.client()) {
                                while (!done.get()) {
                                    Answer answer =
                                            client.get("/file.txt", fields).answer();
                                    if (!wasHeldUp(answer)) {
                                        checkVersion(answer);
                                        answers.incrementAndGet();
                                    }
                                }
                            } catch (Throwable x) {
                                failures.add(x);
                            } finally {
                                readers.countDown();
                            }
                        })
                        .start();
            }
            for (int version = 1; version < versions; version++) {
                replaceVersion(version);
                int seen = answers.get();
                Await.until("a reader came by", () -> answers.get() > seen);
            }
            done.set(true);
            assertTrue(readers.await(30, TimeUnit.SECONDS));
            assertEquals(List.of(), List.copyOf(failures));
            assertFalse(answers.get() < versions);
        }
    }

    /** A version has a size of its own, and every byte and its time tell which it is. */
    private void replaceVersion(int version) throws Exception {
        byte[] bytes = new byte[1000 + version * 300];
        java.util.Arrays.fill(bytes, (byte) version);
        Path next = directory.resolve("next");
        Files.write(next, bytes);
        Files.setLastModifiedTime(next, FileTime.from(Instant.ofEpochSecond(1_000_000_000 + version)));
        Files.move(next, directory.resolve("file.txt"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** A thread that stands still for a tenth of a second, its file replaced meanwhile, has nothing to send: no wrong byte either. */
    private static boolean wasHeldUp(Answer answer) {
        return answer.status() == 500 && answer.text().contains("changed while the response was made");
    }

    private static void checkVersion(Answer answer) {
        assertTrue(answer.status() == 200 || answer.status() == 206, () -> answer.status() + " " + answer.text());
        long time = java.time.ZonedDateTime.parse(
                        answer.headers().get("Last-Modified"), java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME)
                .toEpochSecond();
        int version = (int) (time - 1_000_000_000);
        byte[] body = answer.body();
        if (answer.status() == 200) {
            assertEquals(1000 + version * 300, body.length);
            for (byte b : body) {
                assertEquals((byte) version, b);
            }
        } else {
            String all = answer.text();
            String part = String.valueOf((char) (version & 0xff)).repeat(10);
            assertTrue(all.contains("bytes 0-9/" + (1000 + version * 300) + "\r\n\r\n" + part), all);
            assertTrue(all.contains("bytes 20-29/" + (1000 + version * 300) + "\r\n\r\n" + part), all);
        }
    }
}
