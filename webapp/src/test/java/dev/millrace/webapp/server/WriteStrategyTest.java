package dev.millrace.webapp.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.ContentWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the writers of each name give to a socket: which buffers, and how much of them. */
class WriteStrategyTest {
    private static final int KB = 1024;
    private static final byte[] CONTENT = new byte[3 * KB * KB];

    static {
        new Random(1).nextBytes(CONTENT);
    }

    private final ArrayByteBufferPool.Tracking pool = new ArrayByteBufferPool.Tracking();
    private final RecordingChannel channel = new RecordingChannel();

    @AfterEach
    void assertNothingIsKeptOfThePool() {
        assertTrue(pool.getLeaks().isEmpty(), pool::dumpLeaks);
    }

    private ContentWriter writer(String strategy) {
        return WriteStrategy.of(strategy).writers.newContentWriter(pool);
    }

    private static ByteBuffer heap(int bytes) {
        return ByteBuffer.wrap(CONTENT, 0, bytes);
    }

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).put(CONTENT, 0, bytes).flip();
    }

    private long write(ContentWriter writer, ByteBuffer... buffers) throws IOException {
        int first = 0;
        while (!buffers[first].hasRemaining()) {
            first++;
        }
        return writer.write(channel, buffers, first, buffers.length, Integer.MAX_VALUE);
    }

    private void writeAll(ContentWriter writer, ByteBuffer... buffers) throws IOException {
        while (Arrays.stream(buffers).anyMatch(ByteBuffer::hasRemaining)) {
            assertTrue(write(writer, buffers) > 0, "the channel takes something by every call");
        }
    }

    private void assertTaken(int... lengths) {
        byte[] taken = channel.taken();
        int from = 0;
        for (int length : lengths) {
            assertArrayEquals(Arrays.copyOf(CONTENT, length), Arrays.copyOfRange(taken, from, from + length));
            from += length;
        }
        assertEquals(from, taken.length);
    }

    @Test
    void chunkCopiesAtMost64KilobytesAtATime() throws IOException {
        channel.takes(64 * KB).takes(10 * KB).takes(0);
        ContentWriter writer = writer("chunk");
        ByteBuffer content = heap(200 * KB);
        write(writer, content);
        write(writer, content);
        assertEquals(0, write(writer, content));
        writeAll(writer, content);
        for (RecordingChannel.Call call : channel.calls()) {
            assertTrue(call.isDirect());
            assertEquals(1, call.buffers().size());
        }
        assertArrayEquals(
                new int[] {64 * KB, 64 * KB, 64 * KB, 64 * KB, 62 * KB},
                channel.calls().stream().mapToInt(RecordingChannel.Call::bytes).toArray());
        assertTaken(200 * KB);
    }

    @Test
    void chunkSendsAHeadWithItsContent() throws IOException {
        channel.takes(300);
        ContentWriter writer = writer("chunk");
        ByteBuffer[] buffers = {heap(200), direct(300), heap(100 * KB)};
        assertEquals(300, write(writer, buffers));
        assertEquals(64 * KB, channel.last().bytes());
        writeAll(writer, buffers);
        assertTaken(200, 300, 100 * KB);
    }

    @Test
    void chunkAndDirectDoNotCopyWhatIsDirect() throws IOException {
        for (String strategy : new String[] {"chunk", "adaptive-chunk", "direct"}) {
            ByteBuffer content = direct(100 * KB);
            assertEquals(100 * KB, write(writer(strategy), content), strategy);
            assertSame(content, channel.last().buffers().get(0), strategy);
        }
    }

    @Test
    void directCopiesWholeAndKeepsTheCopyUntilItIsTaken() throws IOException {
        channel.takes(100 * KB).takes(0).takes(KB * KB);
        ContentWriter writer = writer("direct");
        ByteBuffer content = heap(CONTENT.length);
        write(writer, content);
        assertEquals(0, write(writer, content));
        writeAll(writer, content);
        ByteBuffer copy = channel.calls().get(0).buffers().get(0);
        assertEquals(CONTENT.length, copy.capacity());
        for (RecordingChannel.Call call : channel.calls()) {
            assertTrue(call.isDirect());
            assertSame(copy, call.buffers().get(0));
        }
        ByteBuffer next = heap(1000);
        write(writer, next);
        assertNotSame(copy, channel.last().buffers().get(0));
        assertTrue(channel.last().isDirect());
        assertTaken(CONTENT.length, 1000);
    }

    @Test
    void directCopiesAgainWhatIsNotTheSameContent() throws IOException {
        channel.takes(100);
        ContentWriter writer = writer("direct");
        write(writer, heap(1000));
        ByteBuffer other = heap(500);
        assertEquals(500, write(writer, other));
        assertFalse(other.hasRemaining());
        assertTaken(100, 500);
    }

    @Test
    void directSendsADirectHeadWithTheCopy() throws IOException {
        channel.takes(150);
        ContentWriter writer = writer("direct");
        ByteBuffer head = direct(100);
        ByteBuffer content = heap(1000);
        write(writer, head, content);
        assertSame(head, channel.last().buffers().get(0));
        assertEquals(1100, channel.last().bytes());
        assertEquals(950, content.remaining());
        writeAll(writer, head, content);
        assertTaken(100, 1000);
    }

    private void assertOffers(int bytes, ContentWriter writer, ByteBuffer content) throws IOException {
        write(writer, content);
        assertEquals(bytes, channel.last().bytes());
        assertTrue(channel.last().isDirect());
    }

    @Test
    void adaptiveChunkOffersWhatWasTakenTheLastTimeAndThenTwiceAsMuch() throws IOException {
        ContentWriter writer = writer("adaptive-chunk");
        ByteBuffer content = heap(1024 * KB);
        channel.takes(10 * KB);
        assertOffers(64 * KB, writer, content);
        for (int bytes : new int[] {10, 20, 40, 64, 64}) {
            assertOffers(bytes * KB, writer, content);
        }
        channel.takes(30 * KB).takes(7 * KB);
        assertOffers(64 * KB, writer, content);
        assertOffers(30 * KB, writer, content);
        assertOffers(7 * KB, writer, content);
        writeAll(writer, content);
        assertTaken(1024 * KB);
    }

    @Test
    void adaptiveChunkOffersNoLessThan4Kilobytes() throws IOException {
        ContentWriter writer = writer("adaptive-chunk");
        ByteBuffer content = heap(1024 * KB);
        channel.takes(100).takes(0);
        assertOffers(64 * KB, writer, content);
        assertOffers(4 * KB, writer, content);
        assertOffers(4 * KB, writer, content);
        assertOffers(8 * KB, writer, content);
    }

    @Test
    void noneWritesMoreThanItIsAllowed() throws IOException {
        for (String strategy : new String[] {"chunk", "adaptive-chunk", "direct"}) {
            for (ByteBuffer content : new ByteBuffer[] {heap(10 * KB), direct(10 * KB)}) {
                assertEquals(100, writer(strategy).write(channel, new ByteBuffer[] {content}, 0, 1, 100), strategy);
                assertEquals(10 * KB - 100, content.remaining(), strategy);
            }
        }
    }

    /** That little was taken says nothing when there was no more. */
    @Test
    void adaptiveChunkDoesNotGrowByTheEndOfAContent() throws IOException {
        ContentWriter writer = writer("adaptive-chunk");
        channel.takes(10 * KB);
        assertOffers(64 * KB, writer, heap(1024 * KB));
        assertOffers(9 * KB, writer, heap(9 * KB));
        assertOffers(10 * KB, writer, heap(1024 * KB));
    }
}
