package dev.millrace.load.http;

import java.io.IOException;
import java.io.InputStream;

/** The socket's stream, which notes when the first byte after {@link #arm()} came. Used by one thread. */
final class TimestampedInput extends InputStream {

    private final InputStream in;
    private boolean armed;
    private long firstByteNanos;

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
        if (armed) {
            armed = false;
            firstByteNanos = System.nanoTime();
        }
        return count;
    }
}
