package dev.millrace.testing;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/** A client of TLS that says of each record when it is sent, and in which pieces, and that reads when it is told to. */
public final class TlsPeer implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Socket socket = new Socket();
    private final SSLEngine engine;
    // Each is read from its position to its limit.
    private final ByteBuffer records;
    private final ByteBuffer content;
    private int pieceBytes = Integer.MAX_VALUE;

    /** @param protocol of TLS, as {@code TLSv1.3} */
    public TlsPeer(Tls tls, int port, String protocol) throws Exception {
        this(tls.client().createSSLEngine("localhost", port), port, protocol);
    }

    /** A client that names the host which it wants (SNI, RFC 6066 section 3). */
    public static TlsPeer naming(String host, Tls tls, int port, String protocol) throws Exception {
        SSLEngine engine = tls.client().createSSLEngine(host, port);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setServerNames(List.of(new SNIHostName(host)));
        engine.setSSLParameters(parameters);
        return new TlsPeer(engine, port, protocol);
    }

    private TlsPeer(SSLEngine engine, int port, String protocol) throws IOException {
        this.engine = engine;
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {protocol});
        records = ByteBuffer.allocate(2 * engine.getSession().getPacketBufferSize())
                .flip();
        content = ByteBuffer.allocate(2 * engine.getSession().getApplicationBufferSize())
                .flip();
        socket.setReceiveBufferSize(64 * 1024);
        socket.connect(new InetSocketAddress("127.0.0.1", port), TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
    }

    /** What is sent from now on goes in segments of so many bytes. */
    public TlsPeer inPieces(int bytes) {
        pieceBytes = bytes;
        return this;
    }

    /** Makes a handshake, another after the first one too. */
    public TlsPeer handshake() throws IOException {
        return handshake("");
    }

    /** @param request sent together with the client's last word */
    public TlsPeer handshake(String request) throws IOException {
        ByteArrayOutputStream flight = new ByteArrayOutputStream();
        engine.beginHandshake();
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_WRAP -> flight.writeBytes(wrap(NOTHING));
                case NEED_TASK -> engine.getDelegatedTask().run();
                case NEED_UNWRAP -> {
                    sendRecords(flight.toByteArray());
                    flight.reset();
                    if (!unwrap()) {
                        throw new EOFException("in the handshake");
                    }
                }
                default -> {
                    flight.writeBytes(records(request));
                    sendRecords(flight.toByteArray());
                    return this;
                }
            }
        }
    }

    /** Content as records, which are sent by {@link #sendRecords}. */
    public byte[] records(String text) throws SSLException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer left = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
        while (left.hasRemaining()) {
            all.writeBytes(wrap(left));
        }
        return all.toByteArray();
    }

    /** A record without content. */
    public byte[] emptyRecord() throws SSLException {
        return wrap(NOTHING);
    }

    /** Asks for new keys in both directions (RFC 8446 section 4.6.3), or in TLS 1.2 for another handshake. */
    public byte[] newKeys() throws SSLException {
        engine.beginHandshake();
        return wrap(NOTHING);
    }

    /** The end of the client's output. */
    public byte[] closeAlert() throws SSLException {
        engine.closeOutbound();
        return wrap(NOTHING);
    }

    private byte[] wrap(ByteBuffer from) throws SSLException {
        ByteBuffer to = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(from, to);
        byte[] wrapped = new byte[to.flip().remaining()];
        to.get(wrapped);
        return wrapped;
    }

    public TlsPeer send(String text) throws IOException {
        return sendRecords(records(text));
    }

    public TlsPeer sendRecords(byte[]... all) throws IOException {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] one : all) {
            joined.writeBytes(one);
        }
        byte[] bytes = joined.toByteArray();
        for (int at = 0; at < bytes.length; at += pieceBytes) {
            int piece = Math.min(pieceBytes, bytes.length - at);
            socket.getOutputStream().write(bytes, at, piece);
            if (piece == bytes.length) {
                break;
            }
        }
        return this;
    }

    /** Whose certificate the server has shown. */
    public String subjectOfServer() throws SSLException {
        return ((X509Certificate) engine.getSession().getPeerCertificates()[0])
                .getSubjectX500Principal()
                .getName();
    }

    public Socket socket() {
        return socket;
    }

    /** Takes the next record in; false at the end, by an alert or without one. */
    private boolean unwrap() throws IOException {
        while (true) {
            content.compact();
            SSLEngineResult result;
            try {
                result = engine.unwrap(records, content);
            } finally {
                content.flip();
            }
            switch (result.getStatus()) {
                case OK -> {
                    if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                        engine.getDelegatedTask().run();
                    }
                    return true;
                }
                case CLOSED -> {
                    return false;
                }
                case BUFFER_UNDERFLOW -> {
                    records.compact();
                    int read = socket.getInputStream().read(records.array(), records.position(), records.remaining());
                    records.position(records.position() + Math.max(0, read)).flip();
                    if (read < 0) {
                        return false;
                    }
                }
                default -> throw new IllegalStateException(result.toString());
            }
        }
    }

    /** Reads some content. @return the bytes read; -1 at the end */
    public int read(byte[] into) throws IOException {
        while (!content.hasRemaining()) {
            if (!unwrap()) {
                return -1;
            }
        }
        int bytes = Math.min(into.length, content.remaining());
        content.get(into, 0, bytes);
        return bytes;
    }

    /** Reads to the end. */
    public byte[] readAll() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] block = new byte[16 * 1024];
        for (int read = read(block); read >= 0; read = read(block)) {
            all.write(block, 0, read);
        }
        return all.toByteArray();
    }

    /** Whether the server has ended by an alert, and not by the socket alone. */
    public boolean hasEndedByAlert() {
        return engine.isInboundDone();
    }

    /** Resets the connection. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
