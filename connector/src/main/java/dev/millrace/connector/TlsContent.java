package dev.millrace.connector;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
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

    static boolean goesOn(SSLEngineResult result) {
        return result.getStatus() == Status.OK && result.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }

    /**
     * Makes as many records more as there is room and content for.
     *
     * @param output Jetty's buffer, with the first record; in the end it has the last one, or the batch's end
     * @param first what the engine said of the first record
     * @param all where those before the last go
     * @return what the engine said of all of them
     */
    SSLEngineResult wrapMore(SSLEngine engine, ByteBuffer output, SSLEngineResult first, ByteBuffer all)
            throws SSLException {
        int packetBytes = engine.getSession().getPacketBufferSize();
        int consumed = first.bytesConsumed();
        int produced = first.bytesProduced();
        SSLEngineResult result = first;
        while (goesOn(result) && all.remaining() - output.position() >= packetBytes && hasRemaining()) {
            all.put(output.flip());
            output.clear();
            result = wrap(engine, output);
            consumed += result.bytesConsumed();
            produced += result.bytesProduced();
        }
        Status status = result.getStatus();
        if (output.position() == 0) {
            // Jetty flushes its buffer only when that has something. It gets the batch's end: it is written last.
            int last = Math.min(output.remaining(), all.position());
            output.put(all.duplicate().flip().position(all.position() - last));
            all.position(all.position() - last);
            // Without room for one more record, those before it leave: Jetty asks again when they have been written.
            status = status == Status.BUFFER_OVERFLOW ? Status.OK : status;
        }
        return new SSLEngineResult(status, result.getHandshakeStatus(), consumed, produced);
    }

    private boolean hasRemaining() {
        first = GatherWriter.skipEmpty(buffers, first, buffers.length);
        return first < buffers.length;
    }

    // Makes one record, after hasRemaining() has found content.
    private SSLEngineResult wrap(SSLEngine engine, ByteBuffer output) throws SSLException {
        int end = first;
        for (int bytes = 0; end < buffers.length && bytes < TlsMemory.RECORD_BYTES; end++) {
            bytes += buffers[end].remaining();
        }
        return engine.wrap(buffers, first, end - first, output);
    }
}
