package dev.millrace.connector;

import dev.millrace.transfer.TransferStatistics;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
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

    private final String word = name().toLowerCase(Locale.ROOT).replace('_', '-');

    String word() {
        return word;
    }

    /** Where the bytes are counted that a factory's writers write. */
    static LongAdder writtenBytes(ContentWriter.Factory writers, TransferStatistics statistics) {
        return statistics.written(writers instanceof WriteStrategy named ? named.word() : TransferStatistics.CUSTOM);
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
