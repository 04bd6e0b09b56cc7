package dev.millrace.webapp.server;

import dev.millrace.connector.ContentWriter;
import dev.millrace.connector.MillraceConnector;
import org.jspecify.annotations.Nullable;

/** Strategies to write content from memory: those that Emmanuel Lecharny compared for MINA 3 in 2013. */
enum WriteStrategy {
    /** The connectors' own: hands the buffers over as they are, in slices, and the JDK copies what lies in the heap. */
    GATHER("gather", null),
    /** Puts what lies in the heap into a direct buffer first, whole. */
    DIRECT("direct", bufferPool -> new DirectWriter()),
    /** Copies at most 64 KiB at a time into a direct buffer. */
    CHUNK("chunk", bufferPool -> new ChunkWriter(bufferPool, false)),
    /** As chunk, but no more than the socket took the last time. */
    ADAPTIVE_CHUNK("adaptive-chunk", bufferPool -> new ChunkWriter(bufferPool, true));

    final String word;
    /** Null for the connectors' own. */
    final ContentWriter.@Nullable Factory writers;

    WriteStrategy(String word, ContentWriter.@Nullable Factory writers) {
        this.word = word;
        this.writers = writers;
    }

    static WriteStrategy of(String word) {
        for (WriteStrategy strategy : values()) {
            if (strategy.word.equals(word)) {
                return strategy;
            }
        }
        throw new IllegalArgumentException("no write strategy " + word);
    }

    void applyTo(MillraceConnector connector) {
        if (writers != null) {
            connector.setContentWriterFactory(writers);
        }
    }
}
