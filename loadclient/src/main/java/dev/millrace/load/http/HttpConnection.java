package dev.millrace.load.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentLengthStrategy;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.impl.DefaultConnectionReuseStrategy;
import org.apache.hc.core5.http.impl.DefaultContentLengthStrategy;
import org.apache.hc.core5.http.impl.io.ChunkedInputStream;
import org.apache.hc.core5.http.impl.io.ContentLengthInputStream;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParser;
import org.apache.hc.core5.http.impl.io.IdentityInputStream;
import org.apache.hc.core5.http.impl.io.SessionInputBufferImpl;

/**
 * A blocking HTTP/1.1 client connection (RFC 9112) that carries one exchange at a time. It never retries, never
 * follows a redirect and never hides a failure. Owns its socket until {@link #close()}.
 *
 * <p>No SO_TIMEOUT is set: with one, each read costs the JDK a poll(2) and a second read(2). Whoever wants a bound on
 * an exchange calls {@link #abort()} from another thread.
 */
public final class HttpConnection implements Closeable {

    private static final int HEAD_BUFFER_BYTES = 8192;

    private final Socket socket;
    private final OutputStream out;
    private final StampedInput in;
    private final SessionInputBufferImpl buffer = new SessionInputBufferImpl(HEAD_BUFFER_BYTES);
    private final DefaultHttpResponseParser parser = new DefaultHttpResponseParser();
    private final byte[] chunk;
    private boolean reusable = true;
    private boolean brokenOff;

    private HttpConnection(Socket socket, byte[] chunk) throws IOException {
        this.socket = socket;
        this.out = socket.getOutputStream();
        this.in = new StampedInput(socket.getInputStream());
        this.chunk = chunk;
    }

    /**
     * Connects.
     *
     * @param chunk where body bytes are read to; may be shared by connections that the same thread uses in turn
     * @throws IOException see {@link Fault#ofConnect}
     */
    public static HttpConnection open(InetSocketAddress address, SocketSettings settings, byte[] chunk)
            throws IOException {
        Socket socket = new Socket();
        try {
            if (settings.receiveBufferBytes() > 0) {
                // Before connect: the window scale is agreed on in the SYN (RFC 7323).
                socket.setReceiveBufferSize(settings.receiveBufferBytes());
            }
            socket.setTcpNoDelay(true);
            if (settings.source() != null) {
                socket.bind(new InetSocketAddress(settings.source(), 0));
            }
            socket.connect(address, settings.connectTimeoutMillis());
            return new HttpConnection(socket, chunk);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a call's requests and reads all answers.
     *
     * @param call   requests and check
     * @param timing filled in, also when the exchange fails half-way; the first bytes are those of the first answer
     * @param meter  told of the bodies' bytes as they come
     * @return what is wrong with the first wrong one of the complete answers, or null when all are right
     * @throws IOException if fewer answers came, see {@link Fault#ofExchange}; the connection is of no use then
     */
    public Failure exchange(Call call, Timing timing, BodyMeter meter) throws IOException {
        timing.reset();
        brokenOff = false;
        in.arm();
        out.write(call.request());
        Failure failure = null;
        for (int i = 0; i < call.answers(); i++) {
            Failure one = answer(call, timing, meter);
            failure = failure == null ? one : failure;
        }
        timing.end = System.nanoTime();
        if (timing.bodyByte == 0) {
            timing.bodyByte = timing.end;
        }
        return failure;
    }

    private Failure answer(Call call, Timing timing, BodyMeter meter) throws IOException {
        AnswerCheck check = call.check();
        reusable = false;
        ClassicHttpResponse response = readHead();
        if (timing.headerByte == 0) {
            timing.headerByte = in.firstByteNanos();
        }
        check.begin(response);
        if (!readBody(response, call, timing, meter)) {
            brokenOff = true;
            check.stopped();
            return null;
        }
        reusable = DefaultConnectionReuseStrategy.INSTANCE.keepAlive(null, response, null);
        return check.end();
    }

    /** Whether another exchange may follow on this connection (RFC 9112 section 9.3). */
    public boolean reusable() {
        return reusable;
    }

    /** Whether the last call was broken off as it wanted to be. */
    public boolean brokenOff() {
        return brokenOff;
    }

    /**
     * Reads until the peer closes. The side that closes first keeps the port in TIME_WAIT; waiting here leaves that to
     * the server, which asked for no port.
     */
    public void awaitClose() throws IOException {
        while (buffer.read(chunk, in) >= 0) {
            // Surplus bytes after an answer that was the last one: RFC 9112 section 9.6 has them ignored.
            continue;
        }
    }

    /** Ends whatever this connection's thread waits for, with an exception there. Callable from any thread. */
    public void abort() {
        close();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException ignored) {
            // Nothing is left to lose on a connection that is given up.
            reusable = false;
        }
    }

    private ClassicHttpResponse readHead() throws IOException {
        try {
            ClassicHttpResponse response = parser.parse(buffer, in);
            while (response != null && response.getCode() < HttpStatus.SC_OK) {
                response = parser.parse(buffer, in);
            }
            if (response == null) {
                throw new NoHttpResponseException("closed before the answer");
            }
            return response;
        } catch (HttpException e) {
            throw new MalformedAnswerException(e.getMessage(), e);
        }
    }

    /** Returns false if the body was broken off before its end. */
    private boolean readBody(ClassicHttpResponse response, Call call, Timing timing, BodyMeter meter)
            throws IOException {
        InputStream body = body(response);
        if (body == null) {
            return true;
        }
        int count;
        while ((count = body.read(chunk, 0, chunk.length)) >= 0) {
            if (count == 0) {
                continue;
            }
            if (timing.bodyByte == 0) {
                timing.bodyByte = System.nanoTime();
            }
            timing.bodyBytes += count;
            meter.bytes(count);
            call.check().body(chunk, 0, count);
            if (call.stopAfter() > 0 && timing.bodyBytes >= call.stopAfter() && !isAtEnd(response, timing)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAtEnd(ClassicHttpResponse response, Timing timing) {
        Header length = response.getFirstHeader("Content-Length");
        return length != null && length.getValue().equals(Long.toString(timing.bodyBytes));
    }

    /** The body by its framing (RFC 9112 section 6.3); null when there is none. */
    private InputStream body(ClassicHttpResponse response) throws IOException {
        int code = response.getCode();
        if (code == HttpStatus.SC_NO_CONTENT || code == HttpStatus.SC_NOT_MODIFIED) {
            return null;
        }
        try {
            long length = DefaultContentLengthStrategy.INSTANCE.determineLength(response);
            if (length == ContentLengthStrategy.CHUNKED) {
                return new ChunkedInputStream(buffer, in);
            }
            return length >= 0
                    ? new ContentLengthInputStream(buffer, in, length)
                    : new IdentityInputStream(buffer, in);
        } catch (HttpException e) {
            throw new MalformedAnswerException(e.getMessage(), e);
        }
    }
}
