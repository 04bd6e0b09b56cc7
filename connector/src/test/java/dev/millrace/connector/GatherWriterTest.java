package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.millrace.testing.RandomBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the connectors' own writer gives to a socket: which buffers, and how much of them. */
class GatherWriterTest {
    private static final int KB = 1024;
    private static final byte[] CONTENT = RandomBytes.of(3 * KB * KB);

    private final List<ByteBuffer[]> calls = new ArrayList<>();
    private final List<Integer> sizes = new ArrayList<>();
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

    /** Takes all that it is given. */
    private final GatheringByteChannel channel = new GatheringByteChannel() {
        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            ByteBuffer[] buffers = Arrays.copyOfRange(sources, offset, offset + length);
            int before = taken.size();
            for (ByteBuffer buffer : buffers) {
                while (buffer.hasRemaining()) {
                    taken.write(buffer.get());
                }
            }
            calls.add(buffers);
            int size = taken.size() - before;
            sizes.add(size);
            return size;
        }

        @Override
        public long write(ByteBuffer[] sources) {
            return write(sources, 0, sources.length);
        }

        @Override
        public int write(ByteBuffer source) {
            return (int) write(new ByteBuffer[] {source});
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    private static ByteBuffer heap(int bytes) {
        return ByteBuffer.wrap(CONTENT, 0, bytes);
    }

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).put(CONTENT, 0, bytes).flip();
    }

    private long write(int mostBytes, ByteBuffer... buffers) throws IOException {
        return GatherWriter.INSTANCE.write(channel, buffers, 0, buffers.length, mostBytes);
    }

    /** Asserts that the buffer itself is written to its end, in calls of these sizes. */
    private void assertTakes(ByteBuffer buffer, Integer... expected) throws IOException {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        while (buffer.hasRemaining()) {
            write(Integer.MAX_VALUE, buffer);
            assertSame(buffer, calls.get(calls.size() - 1)[0]);
        }
        assertEquals(List.of(expected), sizes);
        assertArrayEquals(bytes, taken.toByteArray());
    }

    @Test
    void handsOverTheBuffersThemselves() throws IOException {
        ByteBuffer head = heap(100);
        ByteBuffer content = heap(1000);
        assertEquals(1100, write(Integer.MAX_VALUE, head, content));
        assertEquals(1, calls.size());
        assertSame(head, calls.get(0)[0]);
        assertSame(content, calls.get(0)[1]);
        byte[] bytes = taken.toByteArray();
        assertArrayEquals(Arrays.copyOf(CONTENT, 100), Arrays.copyOf(bytes, 100));
        assertArrayEquals(Arrays.copyOf(CONTENT, 1000), Arrays.copyOfRange(bytes, 100, 1100));
    }

    @Test
    void cutsWhatIsLargeInTheHeap() throws IOException {
        assertTakes(heap(300 * KB), 128 * KB, 128 * KB, 44 * KB);
    }

    @Test
    void cutsWhatIsLargeOutsideOfTheHeap() throws IOException {
        assertTakes(direct(CONTENT.length), KB * KB, KB * KB, KB * KB);
    }

    @Test
    void writesNoMoreThanItIsAllowed() throws IOException {
        for (ByteBuffer content : new ByteBuffer[] {heap(10 * KB), direct(10 * KB)}) {
            assertEquals(100, write(100, content));
            assertEquals(10 * KB - 100, content.remaining());
        }
        ByteBuffer[] head = {heap(100), heap(1000)};
        assertEquals(150, write(150, head));
        assertEquals(950, head[1].remaining());
    }
}
