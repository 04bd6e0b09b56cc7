package dev.millrace.connector;

import java.util.Locale;
import org.eclipse.jetty.io.ByteBufferPool;

/** The ways of writing that have a name (Emmanuel Lecharny's comparison for MINA 3, 2013). */
enum WriteStrategy implements ContentWriter.Factory {
    /** Hands the buffers over as they are, in slices: the JDK copies what lies in the heap. */
    GATHER {
        @Override
        public ContentWriter newContentWriter(ByteBufferPool bufferPool) {
            return GatherWriter.INSTANCE;
        }
    },
    /** Puts what lies in the heap into a direct buffer first, whole. */
    DIRECT {
        @Override
        public ContentWriter newContentWriter(ByteBufferPool bufferPool) {
            return new DirectWriter();
        }
    },
    /** Copies at most 64 KiB at a time into a direct buffer. */
    CHUNK {
        @Override
        public ContentWriter newContentWriter(ByteBufferPool bufferPool) {
            return new ChunkWriter(bufferPool, false);
        }
    },
    /** As chunk, but no more than the socket took the last time. */
    ADAPTIVE_CHUNK {
        @Override
        public ContentWriter newContentWriter(ByteBufferPool bufferPool) {
            return new ChunkWriter(bufferPool, true);
        }
    };

    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static WriteStrategy of(String word) {
        for (WriteStrategy strategy : values()) {
            if (strategy.word().equals(word)) {
                return strategy;
            }
        }
        throw new IllegalArgumentException("writeStrategy is gather, direct, chunk or adaptive-chunk, not " + word);
    }
}
