package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.TestFiles;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Files have only so many mappings. One that gets none can be read all the same. */
class MappingsTest {
    private static final int SIZE = 20_000;

    @TempDir
    Path directory;

    /** As many as files may have. */
    private final Mappings one = new Mappings(1);

    private OpenFile open(String name) throws IOException {
        return OpenFile.open(directory.resolve(name), new FileCloser(), one);
    }

    @Test
    void areNoMoreThanFilesMayHave() throws Exception {
        TestFiles.write(directory, "first.bin", SIZE);
        byte[] bytes = TestFiles.write(directory, "second.bin", SIZE);
        OpenFile first = open("first.bin");
        OpenFile second = open("second.bin");
        assertFalse(first.isMappingRefused(SIZE));
        assertTrue(second.isMappingRefused(SIZE));
        ByteBuffer read = ByteBuffer.allocate(SIZE);
        second.read(read, 0);
        assertArrayEquals(bytes, read.array());
        first.release();
        OpenFile third = open("first.bin");
        assertFalse(third.isMappingRefused(SIZE), "the first has given its own back");
        assertEquals(SIZE, third.token(0, SIZE).remaining());
        second.release();
        third.release();
    }

    /** The JDK closes a channel under a thread that is interrupted inside: that is no refusal of the system. */
    @Test
    void areNotRefusedForAnInterrupt() throws Exception {
        TestFiles.write(directory, "file.bin", SIZE);
        Mappings interrupted = new Mappings(1) {
            private boolean isFirst = true;

            @Override
            Mapping map(FileChannel file, long position, int bytes) throws IOException {
                if (isFirst) {
                    isFirst = false;
                    Thread.currentThread().interrupt();
                }
                return super.map(file, position, bytes);
            }
        };
        OpenFile file = OpenFile.open(directory.resolve("file.bin"), new FileCloser(), interrupted);
        assertFalse(file.isMappingRefused(SIZE));
        assertTrue(Thread.interrupted(), "it is the application's");
        assertEquals(SIZE, file.token(0, SIZE).remaining());
        assertFalse(file.isMappingRefused(SIZE));
        file.release();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void areHalfOfWhatTheSystemGrants() throws Exception {
        Process cat = new ProcessBuilder("cat", "/proc/sys/vm/max_map_count").start();
        String granted = new String(cat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(Integer.parseInt(granted.strip()) / 2, Mappings.OF_PROCESS.most);
    }

    private void mapUntilCollected(FileChannel file) throws IOException {
        Mappings.Mapping left = one.mapUntilCollected(file, 0, SIZE);
        try {
            left.close();
            assertThrows(IOException.class, () -> one.map(file, 0, SIZE));
        } finally {
            Reference.reachabilityFence(left);
        }
    }

    private boolean canMap(FileChannel file) {
        try {
            one.map(file, 0, SIZE).close();
            return true;
        } catch (IOException x) {
            return false;
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_22)
    void countUntilTheCollectorEndsThem() throws Exception {
        TestFiles.write(directory, "file.bin", SIZE);
        try (FileChannel file = FileChannel.open(directory.resolve("file.bin"))) {
            mapUntilCollected(file);
            Await.until("collected", () -> {
                System.gc();
                return canMap(file);
            });
        }
    }
}
