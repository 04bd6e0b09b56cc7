package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.util.BufferUtil;
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

    @Test
    void oneLongMessageDoesNotMakeItLarger() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("localhost", 0));
                SocketChannel peer = SocketChannel.open(server.getLocalAddress());
                SocketChannel channel = server.accept()) {
            assertTrue(peer.isConnected());
            ReadAhead readAhead = new ReadAhead(512);
            for (int capacity : new int[] {128, 128, 256, 512}) {
                ByteBuffer room = Objects.requireNonNull(readAhead.room(512));
                assertEquals(capacity, room.capacity());
                room.position(room.limit());
                readAhead.filled(false);
                readAhead.lock();
                try {
                    assertEquals(capacity, readAhead.fill(channel, BufferUtil.allocate(1024)));
                } finally {
                    readAhead.unlock();
                }
            }
        }
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
