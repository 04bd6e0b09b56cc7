package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts of what others hold: what is gone does not come back, and nobody gives back more than he took. */
class ReleasedOnceTest {
    @Test
    void slicesAreFreedOnce() {
        SliceMemory memory = new SliceMemory(ByteBuffer.allocateDirect(2 * SliceMemory.SLICE_BYTES), () -> {});
        ContentMemory first = memory.allocate(1);
        first.release();
        ContentMemory second = memory.allocate(2 * SliceMemory.SLICE_BYTES);
        assertThrows(IllegalStateException.class, first::release);
        assertEquals(2, memory.usedSlices(), "they are the second's");
        second.release();
        assertEquals(0, memory.usedSlices());
    }

    @Test
    void aFileIsClosedOnce(@TempDir Path directory) throws Exception {
        OpenFile file = OpenFile.open(Files.writeString(directory.resolve("file.txt"), "content"), new FileCloser());
        file.release();
        assertThrows(IllegalStateException.class, file::release);
        assertFalse(file.isOpen());
        assertFalse(file.tryRetain());
    }
}
