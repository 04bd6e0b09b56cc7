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
    private long rangeBegin;
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
        rangeBegin = 0;
        fileBytes = -1;
        for (String line = line(); !line.isEmpty(); line = line()) {
            String value = line.substring(line.indexOf(':') + 1).strip();
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = Long.parseLong(value);
            } else if (line.regionMatches(true, 0, "Content-Range: bytes ", 0, 21)) {
                String[] parts = value.substring("bytes ".length()).split("[-/]");
                rangeBegin = parts[0].equals("*") ? 0 : Long.parseLong(parts[0]);
                fileBytes = Long.parseLong(parts[parts.length - 1]);
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
     * Reads and checks the content of an answer that is a file, or a range of one.
     *
     * @param blockBytes  of each read
     * @param pauseMillis after each read
     * @throws WrongByteException when it is not that file
     */
    void body(SoakFile file, int blockBytes, int pauseMillis) throws IOException, WrongByteException {
        SoakFile.Check check = file.new Check(rangeBegin);
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
        check.end(fileBytes < 0 ? length : fileBytes);
    }

    void body(SoakFile file) throws IOException, WrongByteException {
        body(file, BLOCK_BYTES, 0);
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
