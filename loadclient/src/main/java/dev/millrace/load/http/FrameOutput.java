package dev.millrace.load.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.hc.core5.http2.frame.RawFrame;
import org.apache.hc.core5.http2.impl.io.FrameOutputBuffer;

/**
 * Sends frames when the connection's thread is about to wait for input, so that one write(2) carries all that were made
 * since. Used by that thread.
 */
final class FrameOutput {

    static final int MOST_PAYLOAD = 16 * 1024;

    private final OutputStream out;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream(MOST_PAYLOAD);
    private final FrameOutputBuffer writer = new FrameOutputBuffer(MOST_PAYLOAD);

    FrameOutput(OutputStream out) {
        this.out = out;
    }

    /** The input, which sends what is pending before each read. */
    InputStream before(InputStream input) {
        return new InputStream() {
            @Override
            public int read() {
                throw new UnsupportedOperationException("frames are read by blocks");
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                flush();
                return input.read(bytes, offset, length);
            }
        };
    }

    /** Takes the bytes of the next frame from a buffer: at most so many, and at most a payload. */
    static ByteBuffer next(ByteBuffer bytes, long most) {
        int count = (int) Math.min(Math.min(bytes.remaining(), MOST_PAYLOAD), most);
        ByteBuffer part = bytes.slice().limit(count);
        bytes.position(bytes.position() + count);
        return part;
    }

    void write(byte[] bytes) {
        pending.writeBytes(bytes);
    }

    void write(RawFrame frame) throws IOException {
        writer.write(frame, pending);
        if (pending.size() >= MOST_PAYLOAD) {
            flush();
        }
    }

    void flush() throws IOException {
        if (pending.size() > 0) {
            pending.writeTo(out);
            pending.reset();
        }
    }
}
