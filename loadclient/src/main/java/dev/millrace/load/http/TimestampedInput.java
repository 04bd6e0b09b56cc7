package dev.millrace.load.http;

import java.io.IOException;
import java.io.InputStream;

/**
 * The socket's stream, which notes when the first byte after {@link #arm()} came, and counts reads. Used by one thread.
 */
final class TimestampedInput extends InputStream {

    private final InputStream in;
    private boolean armed;
    private long firstByteNanos;
    private int reads;

    TimestampedInput(InputStream in) {
        this.in = in;
    }

    void arm() {
        armed = true;
        firstByteNanos = 0;
    }

    long firstByteNanos() {
        return firstByteNanos;
    }

    /** Number of reads so far that brought bytes; it may wrap around. */
    int reads() {
        return reads;
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = in.read(bytes, offset, length);
        reads += count > 0 ? 1 : 0;
        if (armed) {
            armed = false;
            firstByteNanos = System.nanoTime();
        }
        return count;
    }
}
