package dev.millrace.testing;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends the bytes it is told to, and reads HTTP/1.1 answers without any cleverness. */
public final class RawClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 30_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    /** What a server answered. */
    public record Answer(int status, Map<String, String> headers, byte[] body) {
        public String text() {
            return new String(body, StandardCharsets.ISO_8859_1);
        }
    }

    public RawClient(int port) throws IOException {
        this(new Socket(), port, 0);
    }

    /** @param receiveBufferBytes as small as the system allows, for a peer that takes little */
    public RawClient(int port, int receiveBufferBytes) throws IOException {
        this(new Socket(), port, receiveBufferBytes);
    }

    private RawClient(Socket socket, int port, int receiveBufferBytes) throws IOException {
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.connect(new InetSocketAddress("127.0.0.1", port), TIMEOUT_MILLIS);
        this.socket = prepare(socket);
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /** Over a socket that is connected already, of TLS for example. */
    public RawClient(Socket connected) throws IOException {
        this.socket = prepare(connected);
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    private static Socket prepare(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return socket;
    }

    public RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    public RawClient send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    /** @param fields header fields beside {@code Host} */
    public RawClient get(String path, String... fields) throws IOException {
        String head = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + head + "\r\n");
    }

    public Socket socket() {
        return socket;
    }

    public InputStream in() {
        return in;
    }

    /** How many bytes have come that were not read. */
    public int available() {
        try {
            return in.available();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    /** Reads one byte: -1 is the end. A reset counts as the end. */
    public int read() throws IOException {
        try {
            return in.read();
        } catch (java.net.SocketException reset) {
            return -1;
        }
    }

    /** Reads what comes until the end. A reset counts as the end. */
    public void readToEnd() throws IOException {
        byte[] bytes = new byte[64 * 1024];
        while (read(bytes) >= 0) {
            // What comes before the end.
        }
    }

    private int read(byte[] bytes) throws IOException {
        try {
            return in.read(bytes);
        } catch (java.net.SocketException reset) {
            return -1;
        }
    }

    public Answer answer() throws IOException {
        return answer("GET");
    }

    /** Reads the answer to a request of this method. */
    public Answer answer(String method) throws IOException {
        String status = line();
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.merge(line.substring(0, colon), line.substring(colon + 1).trim(), (a, b) -> a + ", " + b);
        }
        int code = Integer.parseInt(status.split(" ")[1]);
        boolean bodiless = method.equals("HEAD") || code < 200 || code == 204 || code == 304;
        return new Answer(code, headers, bodiless ? new byte[0] : body(headers));
    }

    private byte[] body(Map<String, String> headers) throws IOException {
        String length = headers.get("Content-Length");
        if (length != null) {
            return exactly(Integer.parseInt(length));
        }
        if ("chunked".equals(headers.get("Transfer-Encoding"))) {
            return chunks();
        }
        return in.readAllBytes();
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = chunkSize(); size > 0; size = chunkSize()) {
            body.write(exactly(size));
            line();
        }
        line();
        return body.toByteArray();
    }

    private int chunkSize() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("body ends at " + bytes.length + " of " + length);
        }
        return bytes;
    }

    public String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("after '" + line + "'");
            }
            line.append((char) c);
        }
        return line.substring(0, Math.max(0, line.length() - 1));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
