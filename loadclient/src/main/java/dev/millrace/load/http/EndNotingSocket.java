package dev.millrace.load.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/**
 * A socket below TLS, which notes the end of TCP. The JDK reports that end to the reader of TLS as it does a
 * close_notify alert, behind which it reads nothing. Used by one thread, but for {@link #close()}.
 */
final class EndNotingSocket extends Socket {

    private boolean ended;

    /** Whether TCP has ended, so that no close_notify came before. */
    boolean ended() {
        return ended;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new FilterInputStream(super.getInputStream()) {
            @Override
            public int read() throws IOException {
                int b = super.read();
                ended |= b < 0;
                return b;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int count = super.read(bytes, offset, length);
                ended |= count < 0;
                return count;
            }
        };
    }
}
