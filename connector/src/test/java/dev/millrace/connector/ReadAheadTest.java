package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadAheadTest {
    /** As it is after a read of so many bytes that all have been taken. */
    private static ByteBuffer taken(int bytes, int capacity) {
        ByteBuffer buffer = ByteBuffer.allocate(capacity).limit(bytes);
        return buffer.position(bytes);
    }

    private static void assertEmpty(int capacity, ByteBuffer buffer) {
        assertEquals(capacity, buffer.capacity());
        assertEquals(capacity, buffer.remaining());
    }

    @Test
    void growsByWhatFillsIt() {
        assertEmpty(256, ReadAhead.emptied(taken(128, 128), 512));
        assertEmpty(512, ReadAhead.emptied(taken(256, 256), 512));
        assertEmpty(512, ReadAhead.emptied(taken(512, 512), 512));
        assertEmpty(300, ReadAhead.emptied(taken(256, 256), 300));
        assertEmpty(1, ReadAhead.emptied(taken(1, 1), 1));
    }

    @Test
    void staysForWhatDoesNot() {
        assertEmpty(128, ReadAhead.emptied(taken(127, 128), 512));
        assertEmpty(128, ReadAhead.emptied(taken(0, 128), 512));
    }

    /** Another thread may write for as long as the peer takes what it is sent, and have the lock. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(60)
    void leavesTheProcessorToAWriterThatHasTheLock(boolean isInterrupted) throws Exception {
        ReadAhead readAhead = new ReadAhead(16);
        assertTrue(readAhead.tryLock());
        CompletableFuture<Boolean> staysInterrupted = new CompletableFuture<>();
        Thread reader = new Thread(() -> {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            readAhead.room(16);
            staysInterrupted.complete(Thread.currentThread().isInterrupted());
        });
        reader.start();
        Await.until("parked", () -> reader.getState() == Thread.State.TIMED_WAITING);
        readAhead.unlock();
        reader.join();
        assertEquals(isInterrupted, staysInterrupted.join());
        assertTrue(readAhead.tryLock(), "given back");
    }
}
