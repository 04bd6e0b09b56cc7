package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.testing.Logged;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory that is taken when it is needed, not beyond its limit, and given back. */
class GrowingMemoryTest {
    private static final int MIB = 1024 * 1024;

    @TempDir
    Path directory;

    @Test
    void takesNothingBeforeItIsNeeded() {
        GrowingMemory memory = GrowingMemory.of(null, 16 * MIB, 64 * 1024);
        assertEquals(0, memory.takenBytes());
        ContentMemory first = memory.allocate(1);
        assertEquals(MIB, memory.takenBytes());
        ContentMemory second = memory.allocate(64 * 1024);
        assertEquals(MIB, memory.takenBytes());
        assertEquals(65, memory.usedSlices());
        first.release();
        second.release();
        assertEquals(0, memory.usedSlices());
    }

    @Test
    void growsToItsLimitAndNoFurther() {
        GrowingMemory memory = GrowingMemory.of(null, 2 * MIB + 4096, 64 * 1024);
        List<ContentMemory> all = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            all.add(memory.allocate(64 * 1024));
        }
        assertEquals(2 * MIB, memory.takenBytes());
        assertNull(memory.allocate(64 * 1024), "the last block is too short");
        assertNotNull(memory.allocate(4096));
        assertEquals(2 * MIB + 4096, memory.takenBytes());
        assertNull(memory.allocate(1));
        all.get(3).release();
        assertNotNull(memory.allocate(64 * 1024), "in the first block again");
        assertEquals(2 * MIB + 4096, memory.takenBytes());
    }

    @Test
    void hasRoomForTheLongestRun() {
        GrowingMemory memory = GrowingMemory.of(null, 8 * MIB, 3 * MIB);
        assertNotNull(memory.allocate(3 * MIB));
        assertNotNull(memory.allocate(3 * MIB));
        assertEquals(6 * MIB, memory.takenBytes());
    }

    @Test
    void staysWhereTheSystemHasNoMore() {
        int[] granted = {2};
        GrowingMemory memory = new GrowingMemory(16 * MIB, MIB, Long.MAX_VALUE, bytes -> {
            if (granted[0]-- <= 0) {
                throw new OutOfMemoryError("Cannot reserve 1048576 bytes of direct buffer memory");
            }
            return ByteBuffer.allocateDirect(bytes);
        });
        try (Logged logged = new Logged(GrowingMemory.class.getName())) {
            assertNotNull(memory.allocate(MIB));
            ContentMemory second = memory.allocate(MIB);
            assertNull(memory.allocate(1));
            assertEquals(1, logged.count("The content cache stays at 2097152 bytes: "));
            assertNull(memory.allocate(1));
            assertEquals(-1, granted[0], "asked once");
            second.release();
            assertNotNull(memory.allocate(MIB));
        }
    }

    @Test
    void blocksThatAreUsedNoMoreAreGivenBack() {
        GrowingMemory memory = new GrowingMemory(3 * MIB, MIB, 0, ByteBuffer::allocateDirect);
        ContentMemory first = memory.allocate(MIB);
        ContentMemory second = memory.allocate(MIB / 2);
        ContentMemory alsoSecond = memory.allocate(MIB / 2);
        ContentMemory third = memory.allocate(MIB);
        assertNull(memory.allocate(1));
        first.release();
        assertEquals(2 * MIB, memory.takenBytes());
        second.release();
        assertEquals(2 * MIB, memory.takenBytes(), "half of the block is used");
        third.release();
        assertEquals(MIB, memory.takenBytes());
        third = memory.allocate(MIB);
        assertNotNull(third);
        assertNotNull(memory.allocate(MIB / 2), "beside the other half");
        assertEquals(2 * MIB, memory.takenBytes());
        alsoSecond.release();
        third.release();
        assertEquals(MIB, memory.takenBytes());
    }

    @Test
    void aBlockThatWasUsedJustNowIsKept() {
        GrowingMemory memory = new GrowingMemory(MIB, MIB, TimeUnit.HOURS.toMillis(1), ByteBuffer::allocateDirect);
        memory.allocate(1).release();
        assertEquals(MIB, memory.takenBytes());
    }

    @Test
    void takesLargePagesAtOnce() {
        // No such pages here: ordinary ones in their place, of the same size.
        GrowingMemory memory = GrowingMemory.of(directory, 4 * MIB, 64 * 1024);
        assertEquals(4 * MIB, memory.takenBytes());
        memory.allocate(1).release();
        assertEquals(4 * MIB, memory.takenBytes());
    }

    @Test
    void isTooSmallForASlice() {
        GrowingMemory memory = GrowingMemory.of(null, 500, 64 * 1024);
        assertNull(memory.allocate(1));
        assertEquals(0, memory.takenBytes());
    }
}
