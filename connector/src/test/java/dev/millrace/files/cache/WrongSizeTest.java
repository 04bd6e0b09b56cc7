package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.transfer.UnreadableFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A file that ends before its size, as Linux has them in its sysfs, was not truncated: it cannot be read to its end. */
class WrongSizeTest {
    private static final Path PATH = Path.of("/sys/devices/system/cpu/online");

    @BeforeEach
    void sysfs() {
        assumeTrue(Files.isReadable(PATH), "no sysfs");
    }

    @Test
    void cannotBeRead() throws IOException {
        OpenFile file = OpenFile.open(PATH, new FileCloser());
        ByteBuffer whole = ByteBuffer.allocate((int) file.size());
        assertThrows(UnreadableFileException.class, () -> file.read(whole, 0));
        file.release();
    }

    @Test
    void cannotBeCopied() throws IOException {
        try (OpenFileChannel channel =
                new OpenFileChannel(OpenFile.open(PATH, new FileCloser()), 0, false, bytes -> {}, failure -> {})) {
            ByteBuffer whole = ByteBuffer.allocate((int) channel.size());
            channel.read(whole);
            assertThrows(UnreadableFileException.class, () -> channel.read(whole));
        }
    }
}
