package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.testing.Interleavings;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Counts of memory, by interleavings of the threads that hold them: see {@link Interleavings}. */
class ContentMemoryLincheck {
    /** The cache lets go of memory while one takes a count of it, and another allocates. */
    @Test
    void slicesAreNoOthersWhileACountIsHeld() {
        Interleavings.explore(() -> {
            SliceMemory memory = new SliceMemory(ByteBuffer.allocate(SliceMemory.SLICE_BYTES), () -> {});
            ContentMemory content = memory.allocate(1);
            content.writable().put((byte) 1);
            Runnable reader = () -> {
                if (content.tryRetain()) {
                    assertEquals(1, content.part(0, 1).get());
                    content.release();
                }
            };
            Runnable next = () -> {
                ContentMemory other = memory.allocate(1);
                if (other != null) {
                    other.writable().put((byte) 2);
                    other.release();
                }
            };
            Interleavings.together(reader, content::release, next);
            assertEquals(0, memory.usedSlices());
            assertFalse(content.tryRetain());
        });
    }
}
