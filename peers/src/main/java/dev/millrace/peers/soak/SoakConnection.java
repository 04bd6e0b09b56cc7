package dev.millrace.peers.soak;

import dev.millrace.peers.soak.SoakFile.WrongByteException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** One connection of HTTP/1.1, with TLS where the URL says so. Not thread-safe. */
final class SoakConnection implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int BLOCK_BYTES = 16 * 1024;

    private final Socket plain = new Socket();
    private final Socket socket;
    private final InputStream in;
    private final URI url;
    private final SoakCounts counts;
    private int status;
    private long length;
    /** Content-Range without its unit; null without that field. */
    private @Nullable String range;

    private long fileBytes;

    /**
     * Connects.
     *
     * @param receiveBufferBytes SO_RCVBUF; 0 leaves it to the system
     */
    SoakConnection(URI url, SSLContext keys, int receiveBufferBytes, SoakCounts counts) throws IOException {
        this.url = url;
        this.counts = counts;
        if (receiveBufferBytes > 0) {
            plain.setReceiveBufferSize(receiveBufferBytes);
        }
        plain.setTcpNoDelay(true);
        plain.setSoTimeout(TIMEOUT_MILLIS);
        boolean isOpened = false;
        try {
            plain.connect(new InetSocketAddress(url.getHost(), url.getPort()), TIMEOUT_MILLIS);
            socket = url.getScheme().equals("https")
                    ? keys.getSocketFactory().createSocket(plain, url.getHost(), url.getPort(), true)
                    : plain;
            in = new BufferedInputStream(socket.getInputStream(), 1024);
            isOpened = true;
        } finally {
            if (!isOpened) {
                plain.close();
            }
        }
        counts.connections.increment();
    }

    /** Sends a request without content, and reads the header of the answer. Returns its status. */
    int get(String path, String fields) throws IOException {
        send("GET " + path + " HTTP/1.1\r\nHost: " + url.getAuthority() + "\r\n" + fields + "\r\n");
        return head();
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.US_ASCII));
    }

    void send(byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(bytes);
        out.flush();
    }

    int head() throws IOException {
        status = Integer.parseInt(line().split(" ")[1]);
        length = 0;
        range = null;
        fileBytes = -1;
        for (String line = line(); !line.isEmpty(); line = line()) {
            String value = line.substring(line.indexOf(':') + 1).strip();
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = Long.parseLong(value);
            } else if (line.regionMatches(true, 0, "Content-Range: bytes ", 0, 21)) {
                range = value.substring("bytes ".length());
                fileBytes = Long.parseLong(range.substring(range.indexOf('/') + 1));
            }
        }
        return status;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("after '" + line + "'");
            }
            line.append((char) c);
        }
        return line.substring(0, Math.max(0, line.length() - 1));
    }

    /**
     * Reads and checks the content of an answer that is a whole file.
     *
     * @param blockBytes  of each read
     * @param pauseMillis after each read
     * @throws WrongByteException when it is not that file
     * @throws IllegalStateException when it is a part
     */
    void body(SoakFile file, int blockBytes, int pauseMillis) throws IOException, WrongByteException {
        require(status == 200 && range == null, "all of " + file.name());
        read(file.new Check(0), length, blockBytes, pauseMillis);
    }

    void body(SoakFile file) throws IOException, WrongByteException {
        body(file, BLOCK_BYTES, 0);
    }

    /**
     * Reads and checks the content of an answer to a request for a range: it must be that range. The whole file is counted
     * apart. A server may send it (RFC 9110 section 14.2), and those of a soak do where the file was replaced meanwhile.
     *
     * @param first of the bytes that were asked for, a multiple of eight
     * @param last  of them; it may lie behind the file's end
     * @throws WrongByteException when it is not of that file
     * @throws IllegalStateException when it is another range, or a refusal of bytes that there are
     */
    void range(SoakFile file, long first, long last) throws IOException, WrongByteException {
        String asked = "bytes " + first + "-" + last + " of " + file.name();
        counts.ranges.increment();
        if (status == 200) {
            counts.whole.increment();
            body(file);
            return;
        }
        if (status == 416) {
            // Without Content-Range it cannot be seen that there are no such bytes.
            require(fileBytes >= 0 && first >= fileBytes, asked);
            text();
            return;
        }
        long end = Math.min(last, fileBytes - 1);
        require(status == 206 && (first + "-" + end + "/" + fileBytes).equals(range), asked);
        require(length == end - first + 1, asked);
        read(file.new Check(first), fileBytes, BLOCK_BYTES, 0);
    }

    private void require(boolean isRight, String asked) {
        if (!isRight) {
            throw new IllegalStateException(status + " with " + length + " bytes, range " + range + ", for " + asked);
        }
    }

    private void read(SoakFile.Check check, long wholeBytes, int blockBytes, int pauseMillis)
            throws IOException, WrongByteException {
        byte[] block = new byte[blockBytes];
        for (long left = length; left > 0; ) {
            int read = in.readNBytes(block, 0, (int) Math.min(left, blockBytes));
            counts.bytes.add(read);
            check.accept(ByteBuffer.wrap(block, 0, read));
            left -= read;
            if (read < blockBytes && left > 0) {
                throw new EOFException("cut with " + left + " of " + length + " left");
            }
            if (pauseMillis > 0) {
                LockSupport.parkNanos(pauseMillis * 1_000_000L);
            }
        }
        check.end(wholeBytes);
    }

    /** Reads the content of an answer that is not a file. */
    String text() throws IOException {
        byte[] text = in.readNBytes((int) length);
        if (text.length < length) {
            throw new EOFException("cut after " + text.length + " of " + length);
        }
        return new String(text, StandardCharsets.US_ASCII);
    }

    /** Reads some bytes, whatever they are, and closes with a reset. */
    void reset(int bytes) throws IOException {
        counts.bytes.add(in.readNBytes(bytes).length);
        plain.setSoLinger(true, 0);
        plain.close();
        counts.resets.increment();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        plain.close();
    }
}
