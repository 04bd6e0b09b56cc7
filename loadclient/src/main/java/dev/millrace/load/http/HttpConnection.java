package dev.millrace.load.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;

/**
 * A blocking HTTP/1.1 client connection (RFC 9112) that carries one exchange at a time. It never retries, never
 * follows a redirect and never hides a failure. Owns its socket until {@link #close()}.
 *
 * <p>No SO_TIMEOUT is set: with one, each read costs the JDK a poll(2) and a second read(2). Whoever wants a bound on
 * an exchange calls {@link #abort()} from another thread.
 */
public final class HttpConnection implements Closeable {

    private final Socket socket;
    private final OutputStream out;
    private final StampedInput in;
    private final ResponseReader reader;
    private final ResponseReader.Sink sink = this::received;
    private Call current;
    private Timing currentTiming;
    private BodyMeter currentMeter;
    private boolean reusable = true;
    private boolean brokenOff;

    private HttpConnection(Socket socket, byte[] chunk) throws IOException {
        this.socket = socket;
        this.out = socket.getOutputStream();
        this.in = new StampedInput(socket.getInputStream());
        this.reader = new ResponseReader(in, chunk);
    }

    /**
     * Connects.
     *
     * @param chunk where body bytes are read to; may be shared by connections that the same thread uses in turn
     * @throws IOException see {@link Fault#ofConnect}
     */
    public static HttpConnection open(InetSocketAddress address, SocketSettings settings, byte[] chunk)
            throws IOException {
        return open(address, settings, chunk, socket -> { });
    }

    /**
     * Connects.
     *
     * @param chunk as above
     * @param known told of the socket before it connects; closing it, by any thread, ends the connecting and whatever
     *              is done with the connection
     * @throws IOException see {@link Fault#ofConnect}
     */
    public static HttpConnection open(InetSocketAddress address, SocketSettings settings, byte[] chunk,
                                      Consumer<Closeable> known) throws IOException {
        Socket socket = new Socket();
        try {
            known.accept(socket);
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
     * @throws IOException if fewer answers came, or more than one to the call before, see {@link Fault#ofExchange};
     *                     the connection is of no use then
     */
    public Failure exchange(Call call, Timing timing, BodyMeter meter) throws IOException {
        timing.reset();
        brokenOff = false;
        reusable = false;
        // Taken for an answer, they would make every one after them that of another request.
        if (reader.unread() > 0) {
            throw new BadAnswerException(Fault.WRONG_CONTENT, reader.unread()
                    + " surplus bytes after the answer before");
        }
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
        ResponseHead head = reader.head();
        if (timing.headerByte == 0) {
            timing.headerByte = in.firstByteNanos();
        }
        check.begin(head);
        current = call;
        currentTiming = timing;
        currentMeter = meter;
        if (!reader.body(sink)) {
            brokenOff = true;
            check.stopped();
            return null;
        }
        reusable = reader.persistent();
        return check.end();
    }

    private boolean received(byte[] bytes, int offset, int count) {
        Timing timing = currentTiming;
        if (timing.bodyByte == 0) {
            timing.bodyByte = System.nanoTime();
        }
        timing.bodyBytes += count;
        currentMeter.bytes(count);
        current.check().body(bytes, offset, count);
        long stopAfter = current.stopAfter();
        return stopAfter == 0 || timing.bodyBytes < stopAfter || timing.bodyBytes == reader.announcedLength();
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
        // Surplus bytes after an answer that was the last one: RFC 9112 section 9.6 has them ignored.
        reader.skipAll();
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
}
