package dev.millrace.load.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A connection of HTTP/1.1 (RFC 9112). For threads and ownership see {@link Connection}. */
public final class HttpConnection implements Connection {

    /** A pause after which it is worth a system call to look whether the server has sent something unasked. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Connected connected;

    private final OutputStream out;
    private final TimestampedInput in;
    private final ResponseReader reader;
    private final ResponseReader.Sink sink = this::received;
    private @Nullable Call current;
    private Timing currentTiming = new Timing();
    private IntConsumer currentMeter = bytes -> {};
    private boolean reusable = true;
    private boolean brokenOff;
    private long lastUse = System.nanoTime();
    /** The number of reads when the first byte of the body was there. */
    private int readsAtBody;

    private HttpConnection(Connected connected, byte[] chunk) throws IOException {
        this.connected = connected;
        Socket socket = connected.socket();
        this.out = socket.getOutputStream();
        this.in = new TimestampedInput(socket.getInputStream());
        this.reader = new ResponseReader(in, chunk);
    }

    /**
     * Connects.
     *
     * @param chunk buffer for body bytes; connections that one thread uses in turn may share it
     * @throws IOException see {@link Failure#ofConnect}
     */
    public static HttpConnection open(InetSocketAddress address, SocketSettings settings, byte[] chunk)
            throws IOException {
        return open(address, settings, chunk, socket -> {});
    }

    /**
     * Connects.
     *
     * @param chunk buffer for body bytes; connections that one thread uses in turn may share it
     * @param known gets the socket before it connects; any thread may close it, which ends connecting and every
     *              exchange
     * @throws IOException see {@link Failure#ofConnect}
     */
    public static HttpConnection open(
            InetSocketAddress address, SocketSettings settings, byte[] chunk, Consumer<Closeable> known)
            throws IOException {
        return new HttpConnection(Connected.to(address, settings, known), chunk);
    }

    @Override
    public @Nullable Failure exchange(Call call, Timing timing, IntConsumer meter) throws IOException {
        timing.reset();
        brokenOff = false;
        reusable = false;
        refuseSurplus();
        in.arm();
        Failure failure;
        IOException unsent = send(call.request());
        try {
            failure = answers(call, timing, meter);
        } catch (IOException e) {
            throw unsent == null ? e : unsent;
        }
        reusable &= unsent == null;
        timing.end = System.nanoTime();
        lastUse = timing.end;
        if (timing.bodyByte == 0) {
            timing.bodyByte = timing.end;
            readsAtBody = in.reads();
        }
        timing.bodyInOneRead = in.reads() == readsAtBody;
        return failure;
    }

    /** Refuses bytes behind the last answer: read as an answer, they would shift each later one to another request. */
    private void refuseSurplus() throws IOException {
        int surplus = reader.unread();
        if (surplus == 0 && System.nanoTime() - lastUse > REST_NANOS) {
            surplus = in.available();
        }
        if (surplus > 0) {
            throw new BadResponseException(
                    FailureKind.WRONG_CONTENT, surplus + " surplus bytes after the answer before");
        }
    }

    /**
     * Sends a request.
     *
     * @return why it could not be sent whole, or null. The server may have answered before it has read a whole body
     *         (RFC 9112 section 9.5). Its answer tells more than the failed write
     */
    private @Nullable IOException send(Request request) {
        try {
            out.write(request.http1());
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private @Nullable Failure answers(Call call, Timing timing, IntConsumer meter) throws IOException {
        Failure failure = null;
        for (int i = 0; i < call.answers(); i++) {
            Failure one = answer(call, timing, meter);
            failure = failure == null ? one : failure;
        }
        return failure;
    }

    private @Nullable Failure answer(Call call, Timing timing, IntConsumer meter) throws IOException {
        ResponseCheck check = call.check();
        reusable = false;
        ResponseHead head = reader.head(call.request().isHead());
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
        EndNotingSocket below = connected.below();
        if (below != null && below.ended() && reader.endsWithConnection()) {
            // RFC 9112 section 9.8: anybody on the way can end TCP, so that the answer may have been cut off.
            throw new BadResponseException(
                    FailureKind.SHORT_BODY,
                    "closed after " + timing.bodyBytes + " body bytes without TLS's close_notify");
        }
        reusable = reader.persistent();
        return check.end();
    }

    private boolean received(byte[] bytes, int offset, int count) {
        Timing timing = currentTiming;
        Call call = Objects.requireNonNull(current);
        if (timing.bodyByte == 0) {
            timing.bodyByte = System.nanoTime();
            readsAtBody = in.reads();
        }
        int taken = call.taken(timing.bodyBytes, count);
        timing.bodyBytes += taken;
        currentMeter.accept(taken);
        call.check().body(bytes, offset, taken);
        return call.goesOn(timing.bodyBytes);
    }

    @Override
    public TlsClient.@Nullable Handshake handshake() {
        return connected.handshake();
    }

    @Override
    public boolean reusable() {
        return reusable;
    }

    @Override
    public boolean brokenOff() {
        return brokenOff;
    }

    @Override
    public void awaitClose() throws IOException {
        // RFC 9112 section 9.6: bytes after the last answer are ignored.
        reader.skipAll();
    }

    @Override
    public void close() {
        try {
            connected.socket().close();
        } catch (IOException ignored) {
            // The connection is given up, so that nothing is lost.
            reusable = false;
        }
    }
}
