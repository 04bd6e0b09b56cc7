package dev.millrace.uuid;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The body of an answer, which the container ends and not its writer. It is never flushed on the way: an answer that
 * fits the container's buffer then goes out with its Content-Length and in one piece.
 */
final class AnswerStream extends FilterOutputStream {
    AnswerStream(OutputStream out) {
        super(out);
    }

    @Override
    public void write(byte[] buffer, int offset, int length) throws IOException {
        // FilterOutputStream would pass byte after byte.
        out.write(buffer, offset, length);
    }

    @Override
    public void flush() {
        // The container flushes when the servlet is done.
    }

    @Override
    public void close() {
        // The container closes when the servlet is done.
    }
}
