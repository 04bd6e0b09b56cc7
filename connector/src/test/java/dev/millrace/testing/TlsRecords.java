package dev.millrace.testing;

import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;

/** A client's socket below TLS that remembers what came, for what the TLS of the JDK does not tell: how the peer ended. */
public final class TlsRecords extends Socket {
    /** The content type of an alert, RFC 8446 section 5.1; TLS 1.3 hides it from the first key on, 1.2 does not. */
    public static final int ALERT = 21;

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    public TlsRecords(int port) throws IOException {
        super("127.0.0.1", port);
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return new FilterInputStream(super.getInputStream()) {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int read = super.read(bytes, offset, length);
                if (read > 0) {
                    received.write(bytes, offset, read);
                }
                return read;
            }
        };
    }

    /** The content type of the last whole record; -1 for none, or when it was cut. */
    public int lastContentType() {
        ByteBuffer records = ByteBuffer.wrap(received.toByteArray());
        int type = -1;
        while (records.hasRemaining()) {
            if (records.remaining() < 5) {
                return -1;
            }
            type = records.get();
            int length = records.position(records.position() + 2).getShort() & 0xffff;
            if (records.remaining() < length) {
                return -1;
            }
            records.position(records.position() + length);
        }
        return type;
    }
}
