package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.testing.Await;
import dev.millrace.testing.BrokenFile;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.FileFailedException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A descriptor that the system can no longer read from, though its path leads to the same version. So it is on a network when the file
 * server has been another meanwhile: a stale file handle stays one.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
class FailedDescriptorTest {
    private static final int GATHERED_BYTES = 50_000;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void settings() {
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setMaxCacheBytes(0);
        // Whatever is found is found by reading.
        files.getSettings().setValidMillis(-1);
    }

    // There is no disk to break: so the channel of the file that is kept open becomes one that fails.
    private void breakDescriptor(FileChannel file, long readableBytes) throws Exception {
        OpenFile kept =
                files.getSendfileContentFactory().openFiles().get("/file.bin").file();
        Field channel = OpenFile.class.getDeclaredField("channel");
        channel.setAccessible(true);
        FileChannel before = (FileChannel) channel.get(kept);
        channel.set(kept, new BrokenFile(file == null ? before : file, readableBytes));
        if (file != null) {
            before.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, GATHERED_BYTES, 1_000_000})
    void isNotUsedAgain(int size) throws Exception {
        files.getSettings().setMaxGatherBytes(0);
        assertNotUsedAgain(size, 0);
    }

    @Test
    void isNotUsedAgainWhenItDoesNotTellItsSize() throws Exception {
        assertNotUsedAgain(GATHERED_BYTES, -1);
    }

    private void assertNotUsedAgain(int size, int readableBytes) throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", size);
        try (TestServer server = new TestServer(connectors::http).start(files)) {
            try (RawClient client = server.client()) {
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
                breakDescriptor(null, readableBytes);
                try {
                    assertEquals(500, client.get("/file.bin").answer().status());
                } catch (IOException cutOff) {
                    // The header of a larger one has left.
                }
            }
            try (RawClient client = server.client()) {
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            }
        }
    }

    /** To the system a page that cannot be read is an address that does not exist: the write fails, as where the peer has gone. */
    @Test
    void isToldWhereTheMappingFails() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", GATHERED_BYTES);
        Path copy = Files.write(directory.resolve("copy"), bytes);
        try (Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = new TestServer(connectors::http).start(files)) {
            try (RawClient client = server.client()) {
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
                breakDescriptor(FileChannel.open(copy), 0);
                // Its mapping has no pages any more.
                TestFiles.resize(directory.resolve("file.bin"), 0);
                assertThrows(IOException.class, () -> client.get("/file.bin").answer());
            }
            Await.until("said", () -> logged.count("cannot read") == 1);
            try (RawClient client = server.client()) {
                assertEquals(0, client.get("/file.bin").answer().body().length);
            }
        }
    }
}
