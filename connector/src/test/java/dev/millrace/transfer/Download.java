package dev.millrace.transfer;

import dev.millrace.testing.RawClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/** A client's view of one file on its way: as much of it as the test wants, when the test wants it. */
final class Download implements AutoCloseable {
    private final RawClient client;
    private final CRC32C checksum = new CRC32C();
    private final byte[] piece = new byte[64 * 1024];
    private long length;
    private final AtomicLong received = new AtomicLong();

    /** @param receiveBufferBytes 0: the system's, which takes megabytes for a client that reads nothing */
    Download(int port, String path, int receiveBufferBytes) throws IOException {
        client = new RawClient(port, receiveBufferBytes);
        client.get(path);
    }

    /** Reads the head of the answer. */
    Download head() throws IOException {
        for (String line = client.line(); !line.isEmpty(); line = client.line()) {
            if (line.startsWith("Content-Length: ")) {
                length = Long.parseLong(line.substring("Content-Length: ".length()));
            }
        }
        return this;
    }

    /** Reads exactly this many bytes, unless the connection ends before; returns what was read. */
    int read(int bytes) throws IOException {
        int left = bytes;
        while (left > 0) {
            int n = client.in().read(piece, 0, Math.min(left, piece.length));
            if (n < 0) {
                break;
            }
            checksum.update(piece, 0, n);
            received.addAndGet(n);
            left -= n;
        }
        return bytes - left;
    }

    /** Reads the rest, in pieces of this size. */
    Download readAll(int pieceBytes) throws IOException {
        while (received.get() < length && read((int) Math.min(pieceBytes, length - received.get())) > 0) {
            // A piece after the other.
        }
        return this;
    }

    /** As {@link #readAll}, for lambdas. */
    Download uncheckedReadAll() {
        try {
            return readAll(piece.length);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    /** Reads until the connection ends; a reset is an end too. */
    void readToEnd() {
        try {
            while (read(piece.length) == piece.length) {
                // There is more.
            }
        } catch (IOException reset) {
            // The end that an aborted answer has.
        }
    }

    long length() {
        return length;
    }

    long received() {
        return received.get();
    }

    long checksum() {
        return checksum.getValue();
    }

    static long checksum(byte[] bytes, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, 0, length);
        return checksum.getValue();
    }

    RawClient client() {
        return client;
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
