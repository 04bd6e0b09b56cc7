package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Memory has one owner at a time, and counts do not trust who gives it back. */
class TlsMemoryTest {
    private final TlsMemory memory = new TlsMemory(1);

    @Test
    void isGivenBackOnce() {
        ByteBuffer first = memory.takeDirect();
        memory.giveBack(first);
        assertThrows(IllegalStateException.class, () -> memory.giveBack(first));
        assertNotSame(memory.takeDirect(), memory.takeDirect());
    }

    @Test
    void isLeftOnce() {
        assertTrue(memory.enter());
        assertFalse(memory.enter());
        memory.leave();
        assertThrows(IllegalStateException.class, memory::leave);
    }
}
