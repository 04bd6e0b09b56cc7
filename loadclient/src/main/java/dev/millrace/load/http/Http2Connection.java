package dev.millrace.load.http;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.config.H2Param;
import org.apache.hc.core5.http2.config.H2Setting;
import org.apache.hc.core5.http2.frame.DefaultFrameFactory;
import org.apache.hc.core5.http2.frame.FrameFactory;
import org.apache.hc.core5.http2.frame.FrameFlag;
import org.apache.hc.core5.http2.frame.FrameType;
import org.apache.hc.core5.http2.frame.RawFrame;
import org.jspecify.annotations.Nullable;

/**
 * A blocking client connection of HTTP/2 (RFC 9113), which may carry many exchanges at once. One thread starts
 * exchanges and reads their answers. Most of frames and field blocks is HttpCore's; what they mean for a stream is here.
 */
public final class Http2Connection implements Connection {

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final FrameFactory FRAMES = DefaultFrameFactory.INSTANCE;
    private static final int MOST_PAYLOAD = FrameOutput.MOST_PAYLOAD;
    private static final int SETTING_BYTES = 6;
    private static final int FIRST_WINDOW = 65_535;
    /** The window of h2load. With a small one, the speed of this client's window updates would be measured. */
    private static final int OUR_WINDOW = (1 << 30) - 1;

    private final Socket socket;
    private final TlsClient.@Nullable Handshake handshake;
    private final FrameOutput out;
    private final FrameInput in;
    private final FieldBlocks blocks = new FieldBlocks();
    private final byte[] chunk = new byte[MOST_PAYLOAD];
    private final OpenStreams streams = new OpenStreams();
    private long streamLimit = Integer.MAX_VALUE;
    private long peerStreamWindow = FIRST_WINDOW;
    private long window = FIRST_WINDOW;
    private long unreported;
    private boolean settled;
    private boolean goingAway;
    private boolean failed;
    private boolean brokenOff;
    private int endedStreams;

    private Http2Connection(Connected connected) throws IOException {
        this.socket = connected.socket();
        this.handshake = connected.handshake();
        this.out = new FrameOutput(socket.getOutputStream());
        this.in = new FrameInput(out.before(socket.getInputStream()), MOST_PAYLOAD);
    }

    /**
     * Connects, and waits for the server's settings.
     *
     * @param known gets the socket before it connects
     * @throws IOException see {@link Failure#ofConnect}
     */
    public static Http2Connection open(InetSocketAddress address, SocketSettings settings, Consumer<Closeable> known)
            throws IOException {
        Http2Connection connection = new Http2Connection(Connected.to(address, settings, known));
        try {
            connection.begin(settings);
            return connection;
        } catch (IOException | RuntimeException | StackOverflowError e) {
            connection.close();
            throw e;
        }
    }

    private void begin(SocketSettings settings) throws IOException {
        if (settings.protocol() == Protocol.H2 && (handshake == null || !"h2".equals(handshake.protocol()))) {
            throw new BadResponseException(FailureKind.MALFORMED, "the server does not agree on h2 by ALPN");
        }
        out.write(PREFACE);
        out.write(FRAMES.createSettings(
                new H2Setting(H2Param.ENABLE_PUSH, 0), new H2Setting(H2Param.INITIAL_WINDOW_SIZE, OUR_WINDOW)));
        out.write(FRAMES.createWindowUpdate(0, OUR_WINDOW - FIRST_WINDOW));
        socket.setSoTimeout(settings.connectTimeoutMillis());
        long latest = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.connectTimeoutMillis());
        try {
            while (!settled) {
                if (socket.getSoTimeout() > 0 && System.nanoTime() - latest > 0) {
                    throw new SocketTimeoutException("no settings among its frames");
                }
                frame(in.read());
            }
        } catch (IOException e) {
            FailureKind kind = Failure.ofConnect(e).kind();
            throw new BadResponseException(
                    kind == FailureKind.OTHER ? FailureKind.MALFORMED : kind,
                    "the server does not speak HTTP/2: " + Failure.firstLine(e));
        }
        socket.setSoTimeout(0);
    }

    /** Number of exchanges that the server allows at once. */
    public long streamLimit() {
        return streamLimit;
    }

    /**
     * Starts an exchange.
     *
     * @param call     requests and check
     * @param timing   filled in
     * @param meter    gets the number of body bytes of each frame
     * @param listener is told of the end, in {@link #await}
     */
    public void send(Call call, Timing timing, IntConsumer meter, StreamListener listener) throws IOException {
        send(new Http2Stream(call, timing, meter, listener, peerStreamWindow), call.request());
    }

    private void send(Http2Stream stream, Request request) throws IOException {
        int id = streams.add(stream);
        ByteBuffer block = blocks.encode(request.http2());
        boolean empty = !stream.unsent().hasRemaining();
        ByteBuffer part = FrameOutput.next(block, MOST_PAYLOAD);
        out.write(FRAMES.createHeaders(id, part, !block.hasRemaining(), empty));
        while (block.hasRemaining()) {
            part = FrameOutput.next(block, MOST_PAYLOAD);
            out.write(FRAMES.createContinuation(id, part, !block.hasRemaining()));
        }
        sendBody(id, stream);
    }

    /** Sends what the peer's windows allow (RFC 9113 section 5.2). */
    private void sendBody(int id, Http2Stream stream) throws IOException {
        ByteBuffer unsent = stream.unsent();
        while (unsent.hasRemaining() && window > 0 && stream.window() > 0) {
            ByteBuffer part = FrameOutput.next(unsent, Math.min(window, stream.window()));
            window -= part.remaining();
            stream.addWindow(-part.remaining());
            out.write(FRAMES.createData(id, part, !unsent.hasRemaining()));
        }
    }

    private void sendBodies() throws IOException {
        for (Map.Entry<Integer, Http2Stream> stream : streams.all().entrySet()) {
            sendBody(stream.getKey(), stream.getValue());
        }
    }

    /**
     * Reads until an exchange has ended.
     *
     * @throws IOException if the connection is of no use any more; {@link #fail} ends the exchanges then
     */
    public void await() throws IOException {
        endedStreams = 0;
        while (endedStreams == 0) {
            frame(in.read());
        }
    }

    /** Ends all exchanges that are under way, because the connection has failed. */
    public void fail(IOException failure) {
        failed = true;
        for (Http2Stream stream : streams.endAll()) {
            stream.fail(Failure.ofExchange(stream.failureOf(failure)));
        }
    }

    private void frame(RawFrame frame) throws IOException {
        FrameType type = FrameType.valueOf(frame.getType());
        if (type == null) {
            // RFC 9113 section 4.1: frames of unknown types are ignored.
            return;
        }
        switch (type) {
            case DATA -> data(frame);
            case HEADERS -> fields(frame, blocks.headers(frame));
            case CONTINUATION -> fields(frame, blocks.continuation(frame));
            case RST_STREAM -> reset(frame);
            case SETTINGS -> settings(frame);
            case PING -> {
                // Before its settings a server may send nothing (RFC 9113 section 3.4), and nobody watches over writes.
                if (settled && !frame.isFlagSet(FrameFlag.ACK)) {
                    out.write(FRAMES.createPingAck(FieldBlocks.payload(frame, Long.BYTES)));
                }
            }
            case GOAWAY -> goAway(FieldBlocks.payload(frame, 2 * Integer.BYTES));
            case WINDOW_UPDATE -> windowUpdate(frame);
            case PUSH_PROMISE ->
                throw new BadResponseException(FailureKind.MALFORMED, "PUSH_PROMISE, which our settings forbid");
            default -> {
                // Priorities are those of requests.
            }
        }
    }

    private void data(RawFrame frame) throws IOException {
        Http2Stream stream = streams.ofAnswer(frame);
        returnWindow(frame, stream);
        if (stream == null) {
            // The rest of an answer that was broken off or reset.
            return;
        }
        ByteBuffer payload = FieldBlocks.unpadded(frame);
        boolean goesOn = true;
        while (goesOn && payload.hasRemaining()) {
            int count = Math.min(payload.remaining(), chunk.length);
            payload.get(chunk, 0, count);
            goesOn = stream.data(chunk, 0, count, in.reads());
        }
        brokenOff |= !goesOn;
        if (!goesOn || frame.isFlagSet(FrameFlag.END_STREAM)) {
            end(frame.getStreamId());
        }
    }

    /** Opens the windows of the connection and of the stream again, each by what has closed it (RFC 9113 section 6.9.1). */
    private void returnWindow(RawFrame frame, @Nullable Http2Stream stream) throws IOException {
        unreported += frame.getLength();
        if (unreported > OUR_WINDOW / 2) {
            out.write(FRAMES.createWindowUpdate(0, (int) unreported));
            unreported = 0;
        }
        int opened = stream == null ? 0 : stream.used(frame.getLength(), OUR_WINDOW / 2);
        if (opened > 0) {
            out.write(FRAMES.createWindowUpdate(frame.getStreamId(), opened));
        }
    }

    /** Passes on the fields of a complete block. */
    private void fields(RawFrame frame, @Nullable List<Header> fields) throws IOException {
        Http2Stream stream = streams.ofAnswer(frame);
        if (stream != null && fields != null) {
            stream.headers(fields, blocks.endStream());
            if (blocks.endStream()) {
                end(frame.getStreamId());
            }
        }
    }

    private void end(int id) throws IOException {
        Http2Stream ended = streams.end(id);
        if (ended != null) {
            endedStreams++;
            if (ended.brokenOff() || ended.unsent().hasRemaining()) {
                streams.giveUp(id);
                // The stream would stay open at the server, and count against its bound (RFC 9113 section 5.1.2).
                out.write(FRAMES.createResetStream(id, H2Error.CANCEL));
            }
            ended.end();
        }
    }

    private void fail(int id, Failure failure) {
        Http2Stream stream = streams.end(id);
        if (stream != null) {
            endedStreams++;
            streams.giveUp(id);
            stream.fail(failure);
        }
    }

    private void reset(RawFrame frame) throws BadResponseException {
        int code = FieldBlocks.payload(frame, Integer.BYTES).getInt();
        FailureKind kind = code == H2Error.REFUSED_STREAM.getCode() ? FailureKind.REFUSED : FailureKind.STREAM_RESET;
        streams.of(frame);
        fail(frame.getStreamId(), new Failure(kind, "RST_STREAM " + name(code)));
    }

    private static String name(int code) {
        H2Error error = H2Error.getByCode(code);
        return error == null ? Integer.toString(code) : error.name();
    }

    private void goAway(ByteBuffer payload) {
        goingAway = true;
        int last = payload.getInt() & Integer.MAX_VALUE;
        String text = "GOAWAY " + name(payload.getInt());
        String debug = StandardCharsets.UTF_8.decode(payload).toString();
        for (int id : List.copyOf(streams.all().keySet())) {
            if (id > last) {
                fail(id, new Failure(FailureKind.GOAWAY, debug.isEmpty() ? text : text + ": " + debug));
            }
        }
    }

    private void settings(RawFrame frame) throws IOException {
        if (frame.isFlagSet(FrameFlag.ACK)) {
            return;
        }
        settled = true;
        ByteBuffer payload = frame.getPayload();
        while (payload != null && payload.remaining() >= SETTING_BYTES) {
            int code = payload.getShort();
            long value = payload.getInt() & 0xffff_ffffL;
            if (code == H2Param.MAX_CONCURRENT_STREAMS.getCode()) {
                streamLimit = value;
            } else if (code == H2Param.INITIAL_WINDOW_SIZE.getCode()) {
                for (Http2Stream stream : streams.all().values()) {
                    stream.addWindow(value - peerStreamWindow);
                }
                peerStreamWindow = value;
            } else if (code == H2Param.HEADER_TABLE_SIZE.getCode() && value < FieldBlocks.TABLE_BYTES) {
                blocks.withdrawTable();
            }
        }
        out.write(FRAMES.createSettingsAck());
        sendBodies();
    }

    private void windowUpdate(RawFrame frame) throws IOException {
        int bytes = FieldBlocks.payload(frame, Integer.BYTES).getInt() & Integer.MAX_VALUE;
        if (frame.getStreamId() == 0) {
            window += bytes;
            sendBodies();
            return;
        }
        Http2Stream stream = streams.of(frame);
        if (stream != null) {
            stream.addWindow(bytes);
            sendBody(frame.getStreamId(), stream);
        }
    }

    @Override
    public @Nullable Failure exchange(Call call, Timing timing, IntConsumer meter) throws IOException {
        brokenOff = false;
        @Nullable Failure[] result = new Failure[1];
        Http2Stream stream = new Http2Stream(call, timing, meter, failure -> result[0] = failure, peerStreamWindow);
        try {
            send(stream, call.request());
            await();
            while (in.holdsFrame()) {
                frame(in.read());
            }
        } catch (IOException e) {
            failed = true;
            streams.endAll();
            throw stream.failureOf(e);
        }
        return result[0];
    }

    @Override
    public boolean reusable() {
        return !goingAway && !failed && !brokenOff && streams.hasNext();
    }

    @Override
    public boolean brokenOff() {
        return brokenOff;
    }

    /** Returns at once: a client of HTTP/2 closes, because the server may not know that nothing more will come. */
    @Override
    public void awaitClose() {
        failed = true;
    }

    @Override
    public TlsClient.@Nullable Handshake handshake() {
        return handshake;
    }

    @Override
    public void close() {
        try (socket) {
            if (!failed && settled) {
                out.write(FRAMES.createGoAway(0, H2Error.NO_ERROR, ""));
                out.flush();
            }
        } catch (IOException ignored) {
            // The connection is given up, so that nothing is lost.
            failed = true;
        }
    }
}
