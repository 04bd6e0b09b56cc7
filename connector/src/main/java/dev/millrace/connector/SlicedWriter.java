package dev.millrace.connector;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** A writer that can be told to write little, without losing sight of what the buffers hold beyond that. */
interface SlicedWriter extends ContentWriter {
    /**
     * As {@link ContentWriter#write}, but no more than some bytes.
     *
     * @param mostBytes at least 1
     */
    long write(SocketChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes) throws IOException;

    /** Has any writer write no more than some bytes. */
    static long write(ContentWriter writer, SocketChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes)
            throws IOException {
        if (writer instanceof SlicedWriter sliced) {
            return sliced.write(channel, buffers, from, to, mostBytes);
        }
        int last = from;
        int room = mostBytes;
        while (last < to && buffers[last].remaining() <= room) {
            room -= buffers[last].remaining();
            last++;
        }
        if (last == to || room == 0) {
            return writer.write(channel, buffers, from, last);
        }
        ByteBuffer cut = buffers[last];
        int limit = cut.limit();
        cut.limit(cut.position() + room);
        try {
            return writer.write(channel, buffers, from, last + 1);
        } finally {
            cut.limit(limit);
        }
    }
}
