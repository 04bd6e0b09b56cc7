package dev.millrace.connector;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;

/**
 * Hands the buffers over as they are, so that a head and its content leave by one system call. Large ones go in slices,
 * so that each slice the peer took counts as activity. So the JDK's copy of a heap buffer stays small, too. The JDK
 * keeps it per thread, and makes it again for every partial write. Keeps nothing: one serves all connections.
 */
final class GatherWriter implements ContentWriter {
    static final GatherWriter INSTANCE = new GatherWriter();

    private static final int HEAP_SLICE_BYTES = 128 * 1024;
    private static final int DIRECT_SLICE_BYTES = 1024 * 1024;

    @Override
    public long write(GatheringByteChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        int room = Math.min(mostBytes, DIRECT_SLICE_BYTES);
        int last = from;
        while (last < to) {
            ByteBuffer buffer = buffers[last];
            int most = buffer.isDirect() ? room : Math.min(room, HEAP_SLICE_BYTES);
            if (buffer.remaining() > most) {
                return writeUpTo(channel, buffers, from, last, most);
            }
            room -= buffer.remaining();
            last++;
        }
        return last == from + 1 ? channel.write(buffers[from]) : channel.write(buffers, from, last - from);
    }

    private static long writeUpTo(
            GatheringByteChannel channel, ByteBuffer[] buffers, int from, int last, int mostOfLast) throws IOException {
        ByteBuffer cut = buffers[last];
        int limit = cut.limit();
        cut.limit(cut.position() + mostOfLast);
        try {
            return channel.write(buffers, from, last - from + 1);
        } finally {
            cut.limit(limit);
        }
    }

    /** @return the same bytes; what moves the views leaves the buffers as they are */
    static ByteBuffer[] viewsOf(ByteBuffer... buffers) {
        ByteBuffer[] views = new ByteBuffer[buffers.length];
        for (int i = 0; i < views.length; i++) {
            views[i] = buffers[i].duplicate();
        }
        return views;
    }

    /** Returns the index of the first buffer that has something, or {@code to}. */
    static int skipEmpty(ByteBuffer[] buffers, int from, int to) {
        int first = from;
        while (first < to && !buffers[first].hasRemaining()) {
            first++;
        }
        return first;
    }
}
