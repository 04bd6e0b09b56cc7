package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.RecordingChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What the connectors' own writer gives to a socket: which buffers, and how much of them. */
class GatherWriterTest {
    private static final int KB = 1024;
    private static final byte[] CONTENT = new byte[3 * KB * KB];

    static {
        new Random(1).nextBytes(CONTENT);
    }

    private final RecordingChannel channel = new RecordingChannel();

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
    void handsOverTheBuffersThemselves() throws IOException {
        ByteBuffer head = heap(100);
        ByteBuffer content = heap(1000);
        assertEquals(1100, write(GatherWriter.INSTANCE, head, content));
        assertSame(head, channel.last().buffers().get(0));
        assertSame(content, channel.last().buffers().get(1));
        assertTaken(100, 1000);
    }

    @Test
    void cutsWhatIsLarge() throws IOException {
        ByteBuffer content = heap(300 * KB);
        writeAll(GatherWriter.INSTANCE, content);
        assertEquals(128 * KB, channel.calls().get(0).bytes());
        assertEquals(3, channel.calls().size());
        ByteBuffer direct = direct(CONTENT.length);
        writeAll(GatherWriter.INSTANCE, direct);
        assertEquals(1024 * KB, channel.last().bytes());
        assertEquals(6, channel.calls().size());
        assertSame(direct, channel.last().buffers().get(0));
        assertTaken(300 * KB, CONTENT.length);
    }

    @Test
    void writesNoMoreThanItIsAllowed() throws IOException {
        for (ByteBuffer content : new ByteBuffer[] {heap(10 * KB), direct(10 * KB)}) {
            assertEquals(100, GatherWriter.INSTANCE.write(channel, new ByteBuffer[] {content}, 0, 1, 100));
            assertEquals(10 * KB - 100, content.remaining());
        }
        ByteBuffer[] head = {heap(100), heap(1000)};
        assertEquals(150, GatherWriter.INSTANCE.write(channel, head, 0, 2, 150));
        assertEquals(950, head[1].remaining());
    }
}
