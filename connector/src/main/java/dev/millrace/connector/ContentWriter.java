package dev.millrace.connector;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import org.eclipse.jetty.io.ByteBufferPool;

/**
 * How content that lies in memory gets onto a socket. One for each connection, made by a {@link Factory}; used by one thread
 * at a time, though not always the same. The connectors' own hands the buffers over as they are, large ones in slices.
 */
@FunctionalInterface
public interface ContentWriter {
    /**
     * Writes some of the buffers' bytes, in order, and advances the buffers by what the socket took. When the channel is closed, this
     * returns soon: whoever gives up the write waits for that before others have the buffers' memory.
     *
     * @param channel where to; blocking or not
     * @param buffers heap and direct ones; owned by the caller
     * @param from the index of the first one to write; it has bytes
     * @param to the index behind the last one
     * @param mostBytes the most to write, at least 1: a blocking call tells of no progress before it returns
     * @return the bytes that the socket took; 0 when a channel that does not block takes none now
     * @throws IOException when the socket fails
     */
    long write(GatheringByteChannel channel, ByteBuffer[] buffers, int from, int to, int mostBytes) throws IOException;

    /** Makes the writers of a connector's connections. Thread-safe. */
    @FunctionalInterface
    interface Factory {
        /**
         * @param bufferPool the connector's; what is acquired for one write is released when it returns
         * @return a writer for a new connection
         */
        ContentWriter newContentWriter(ByteBufferPool bufferPool);
    }
}
