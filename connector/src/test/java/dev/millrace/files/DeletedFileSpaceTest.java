package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A descriptor, and a mapping, keep the disk space of a deleted file: the cache of open files must not, when nobody asks. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class DeletedFileSpaceTest {
    /** Much more than what other tests write meanwhile. */
    private static final long FILE_BYTES = 200_000_000;

    private static final long MOST_BYTES = FILE_BYTES / 4 * 3;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void baseResource() {
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setValidMillis(100);
    }

    private long usable() {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    private Path write(String name) throws IOException {
        Path file = directory.resolve(name);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer piece = ByteBuffer.allocateDirect(1_000_000);
            for (long written = 0; written < FILE_BYTES; written += channel.write(piece.clear())) {
                // A piece after the other.
            }
        }
        return file;
    }

    /** Some file systems compress, share or account for space later. */
    private void assumeSpaceIsTold() throws IOException {
        long before = usable();
        assumeTrue(before > 3 * FILE_BYTES, "the disk is nearly full");
        Path file = write("unknown.bin");
        long full = usable();
        assumeTrue(before - full > MOST_BYTES, "this file system does not tell at once of space that is taken");
        Files.delete(file);
        assumeTrue(usable() - full > MOST_BYTES, "this file system does not tell at once of space that is given back");
    }

    @Test
    void comesBackThoughNobodyAsks() throws Exception {
        assumeSpaceIsTold();
        Path file = write("large.bin");
        long full = usable();
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files)) {
            try (FileChannel other = FileChannel.open(file)) {
                try (RawClient client = server.client()) {
                    client.send("GET /large.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=0-999999\r\n\r\n");
                    assertEquals(1_000_000, client.answer().body().length);
                    assertEquals(2, Leaks.descriptors(directory));
                    assertEquals(1, Leaks.mappings(directory));
                }
                Files.delete(file);
                assumeTrue(
                        usable() - full < FILE_BYTES - MOST_BYTES,
                        "this file system gives back what somebody has open");
                assertEquals(FILE_BYTES, other.size());
            }
            Await.until("given back", () -> usable() - full > MOST_BYTES, () -> usable() - full + " bytes");
            // Room may also come from what others have deleted.
            Await.until("closed", () -> Leaks.descriptors(directory) + Leaks.mappings(directory) == 0);
        }
    }
}
