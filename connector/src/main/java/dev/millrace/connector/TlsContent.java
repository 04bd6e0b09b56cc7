package dev.millrace.connector;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * Content of many buffers, from which records are made one by one. The JDK's engine looks at each buffer that it is given, for each
 * record; a write of HTTP/2 has two for each frame. So the engine is given those alone that its next record may take from.
 *
 * <p>Not thread-safe. It refers to the buffers of its caller, and only the engine moves their positions.
 */
final class TlsContent {
    private final ByteBuffer[] buffers;
    private int first;

    TlsContent(ByteBuffer[] buffers) {
        this.buffers = buffers;
    }

    boolean hasRemaining() {
        first = GatherWriter.skipEmpty(buffers, first, buffers.length);
        return first < buffers.length;
    }

    /** Makes one record, after {@link #hasRemaining} has found content. */
    SSLEngineResult wrap(SSLEngine engine, ByteBuffer output) throws SSLException {
        int end = first;
        for (int bytes = 0; end < buffers.length && bytes < TlsMemory.RECORD_BYTES; end++) {
            bytes += buffers[end].remaining();
        }
        return engine.wrap(buffers, first, end - first, output);
    }
}
