package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Memory has one owner at a time, and counts do not trust who gives it back. */
class TlsMemoryTest {
    private final TlsMemory memory = new TlsMemory(1);

    @Test
    void isGivenBackOnce() {
        ByteBuffer first = memory.take();
        memory.giveBack(first);
        assertThrows(IllegalStateException.class, () -> memory.giveBack(first));
        assertNotSame(memory.take(), memory.take());
    }

    @Test
    void isLeftOnce() {
        assertTrue(memory.enter());
        assertFalse(memory.enter());
        memory.leave();
        assertThrows(IllegalStateException.class, memory::leave);
    }

    /** What a connection keeps of a batch is all that others cannot have. */
    @Test
    void countsTheBytesThatAreKept() {
        TlsMemory two = new TlsMemory(2);
        assertTrue(two.enter());
        two.keep(1000);
        assertEquals(1, two.getFree());
        assertTrue(two.enter());
        assertFalse(two.enter());
        two.leave(1000);
        assertTrue(two.enter());
        two.leave();
        two.leave();
        assertEquals(2, two.getFree());
        assertThrows(IllegalStateException.class, () -> two.leave(1));
    }

    /** Its batches are smaller, and count as what they are. */
    @Test
    void hasLessForSlowPeers() {
        TlsMemory slow = memory.forSlowPeers();
        ByteBuffer content = slow.takeForContent();
        assertEquals(TlsMemory.SLOW_BATCH_BYTES, content.remaining());
        slow.giveBack(content);
        int bytes = slow.take().remaining();
        assertTrue(bytes > TlsMemory.SLOW_BATCH_BYTES && bytes < TlsMemory.BATCH_BYTES / 2, "room for " + bytes);
        assertEquals(1, memory.getTaken());
        slow.giveBack(content);
        assertEquals(bytes, memory.getIdleBytes());

        for (int i = 0; i < 3; i++) {
            assertTrue(slow.enter());
        }
        assertFalse(slow.enter());
        assertFalse(memory.enter());
        for (int i = 0; i < 3; i++) {
            slow.leave();
        }
        assertEquals(1, memory.getFree());
    }

    @Test
    void isLetGoOfWhenNobodyHasTakenItForAWhile() {
        TlsMemory several = new TlsMemory(16);
        List<ByteBuffer> taken = Stream.generate(several::take).limit(3).toList();
        taken.forEach(several::giveBack);
        long three = several.getIdleBytes();
        several.letUnusedGo();
        assertEquals(three, several.getIdleBytes(), "they were used since the look before");
        ByteBuffer used = several.take();
        assertSame(taken.get(2), used, "the last that was given back");
        several.giveBack(used);
        several.letUnusedGo();
        assertEquals(three / 3, several.getIdleBytes());
        assertSame(used, several.take());
        several.giveBack(used);
        several.letUnusedGo();
        several.letUnusedGo();
        assertEquals(0, several.getIdleBytes());
    }

    /** Each refusal may take the JDK half a second. */
    @Test
    void isNotAskedForAgainBeforeTheNextLook() {
        AtomicInteger asked = new AtomicInteger();
        TlsMemory refused = new TlsMemory(3, size -> {
            asked.incrementAndGet();
            throw new OutOfMemoryError("expected by the test");
        });
        assertTrue(refused.enter());
        assertNull(refused.take());
        refused.leave(null);
        assertFalse(refused.enter());
        refused.letUnusedGo();
        assertTrue(refused.enter());
        assertNull(refused.take());
        assertEquals(2, asked.get());
        assertEquals(0, refused.getTaken());
    }
}
