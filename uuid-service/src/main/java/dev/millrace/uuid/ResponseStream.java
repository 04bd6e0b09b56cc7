package dev.millrace.uuid;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The body of a response. Its writer neither flushes nor closes it, because the container does. A response that fits
 * the container's buffer then has a Content-Length and goes out in one piece.
 */
final class ResponseStream extends FilterOutputStream {
    ResponseStream(OutputStream out) {
        super(out);
    }

    @Override
    public void write(byte[] buffer, int offset, int length) throws IOException {
        // FilterOutputStream would write single bytes.
        out.write(buffer, offset, length);
    }

    @Override
    public void flush() {
        // The container flushes when the servlet returns.
    }

    @Override
    public void close() {
        // The container closes the stream when the servlet returns.
    }
}
