package dev.millrace.uuid;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * A request body that throws when it is longer than allowed. It keeps the exception, because a parser wraps it, and a
 * broken connection must not be reported as malformed XML. Used by the thread of one request.
 */
final class LimitedBody extends FilterInputStream {
    private final long maxBytes;
    private long readBytes;
    private @Nullable IOException failure;

    LimitedBody(InputStream in, long maxBytes) {
        super(in);
        this.maxBytes = maxBytes;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        try {
            int read = in.read(buffer, offset, length);
            readBytes += Math.max(read, 0);
            if (readBytes > maxBytes) {
                throw new TooLongException(maxBytes);
            }
            return read;
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    @Override
    public boolean markSupported() {
        return false;
    }

    /**
     * Throws the exception of a failed read. It does nothing when no read failed.
     *
     * @throws RefusedException when the body was too long
     * @throws IOException when the connection failed
     */
    void throwFailure() throws IOException, RefusedException {
        if (failure instanceof TooLongException) {
            throw tooLong(maxBytes);
        }
        if (failure != null) {
            throw failure;
        }
    }

    static RefusedException tooLong(long maxBytes) {
        return new RefusedException(RefusalReason.BODY_TOO_LARGE, "the body is longer than " + maxBytes + " bytes");
    }

    private static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1;

        TooLongException(long maxBytes) {
            super("longer than " + maxBytes + " bytes");
        }
    }
}
