package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Interleavings;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Counts of open files and of memory, by interleavings of the threads that hold them: see {@link Interleavings}. */
class ReferencesLincheck {
    /** What two threads do with one count; one of them may give back what is not its own, and is told so. */
    public static final class Count {
        private final References references = new References();

        @Operation
        public boolean retain() {
            return references.retain();
        }

        @Operation
        public boolean release() {
            return references.release();
        }

        @Operation
        public boolean isGone() {
            return references.isGone();
        }
    }

    @Test
    void areLinearizable() {
        new ModelCheckingOptions()
                .iterations(100)
                .invocationsPerIteration(500)
                .threads(3)
                .actorsPerThread(2)
                .check(Count.class);
    }

    @Test
    void oneOfThoseThatReleaseIsTheLast() {
        Interleavings.explore(() -> {
            References references = new References();
            AtomicInteger last = new AtomicInteger();
            Runnable holder = () -> {
                if (references.retain() && references.release()) {
                    last.incrementAndGet();
                }
            };
            Runnable owner = () -> {
                if (references.release()) {
                    last.incrementAndGet();
                }
            };
            Interleavings.together(holder, owner, holder);
            assertEquals(1, last.get());
            assertTrue(references.isGone());
        });
    }

    /** The cache lets go of memory while one takes a count of it, and another allocates. */
    @Test
    void slicesAreNoOthersWhileACountIsHeld() {
        Interleavings.explore(() -> {
            SliceMemory memory = new SliceMemory(ByteBuffer.allocate(SliceMemory.SLICE_BYTES));
            ContentMemory content = memory.allocate(1);
            content.writable().put((byte) 1);
            Runnable reader = () -> {
                if (content.retain()) {
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
            assertFalse(content.retain());
        });
    }
}
