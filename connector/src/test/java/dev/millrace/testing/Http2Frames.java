package dev.millrace.testing;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Speaks HTTP/2 by hand (RFC 9113), over a client's connection: one request after the other, or several at once. */
public final class Http2Frames {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final short INITIAL_WINDOW_SIZE = 4;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int CANCEL = 8;
    static final int MOST_OF_A_FRAME = 16 * 1024;

    private final RawClient client;
    private int stream;

    private record Frame(int type, int flags, int stream, byte[] payload) {
        private boolean endsAnswer() {
            return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
        }
    }

    /** Sends the preface. */
    public Http2Frames(RawClient client) throws IOException {
        this(client, -1, preface());
    }

    private Http2Frames(RawClient client, int stream, byte[] first) throws IOException {
        this.client = client;
        this.stream = stream;
        client.send(first);
    }

    /** Sends the preface behind an upgrade, whose request is the first stream (RFC 7540 section 3.2). */
    public static Http2Frames upgraded(RawClient client) throws IOException {
        return new Http2Frames(client, 1, preface());
    }

    /** Asks for a path with the preface, as browsers do: the answer follows the server's own preface at once. */
    public static Http2Frames get(RawClient client, String path) throws IOException {
        byte[] request = frame(HEADERS, END_STREAM | END_HEADERS, 1, fields(0x82, path));
        return new Http2Frames(client, 1, joined(preface(), request));
    }

    private static byte[] preface() {
        return joined(PREFACE, frame(SETTINGS, 0, 0, new byte[0]));
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** Lets the server send as much as it likes, on the connection and on each request to come. */
    public Http2Frames openWindows() throws IOException {
        setWindows(Integer.MAX_VALUE);
        openWindow(0, Integer.MAX_VALUE - 65_535);
        return this;
    }

    /** Says how much the server may send in each stream before it waits for more room. */
    public void setWindows(int bytes) throws IOException {
        client.send(frame(
                SETTINGS,
                0,
                0,
                ByteBuffer.allocate(6)
                        .putShort(INITIAL_WINDOW_SIZE)
                        .putInt(bytes)
                        .array()));
    }

    /** Asks for a path. */
    public Http2Frames get(String path) throws IOException {
        stream += 2;
        client.send(frame(HEADERS, END_STREAM | END_HEADERS, stream, fields(0x82, path)));
        return this;
    }

    /** Asks for these paths in one write, so that they are read together. */
    public Http2Frames getTogether(String... paths) throws IOException {
        client.send(together(paths).toByteArray());
        return this;
    }

    /** Asks for these paths, and begins no more requests: all in one write. */
    public void getTogetherAndGoAway(String... paths) throws IOException {
        ByteArrayOutputStream all = together(paths);
        all.writeBytes(frame(GOAWAY, 0, 0, new byte[8]));
        client.send(all.toByteArray());
    }

    private ByteArrayOutputStream together(String... paths) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String path : paths) {
            stream += 2;
            all.writeBytes(frame(HEADERS, END_STREAM | END_HEADERS, stream, fields(0x82, path)));
        }
        return all;
    }

    /** Begins a request with content, and asks for a path after it: in one write. Returns the stream of the first. */
    public int postTogether(String path, String get) throws IOException {
        stream += 2;
        int first = stream;
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(frame(HEADERS, END_HEADERS, first, fields(0x83, path)));
        all.writeBytes(together(get).toByteArray());
        client.send(all.toByteArray());
        return first;
    }

    /** The stream of the last request. */
    public int lastStream() {
        return stream;
    }

    /** What comes first of the content of an answer, in one frame. */
    public String part(int ofStream) throws IOException {
        while (true) {
            Frame frame = read();
            if (frame.stream == ofStream && frame.type == DATA && frame.payload.length > 0) {
                return new String(frame.payload, StandardCharsets.ISO_8859_1);
            }
        }
    }

    /** Sends content to a path. */
    public Http2Frames post(String path, byte[] content) throws IOException {
        post(path);
        return send(stream, content);
    }

    /** Sends a frame of content to a path, in one write: a busy machine may hold up a client between two. */
    public Http2Frames postAtOnce(String path, byte[] content) throws IOException {
        stream += 2;
        byte[] head = frame(HEADERS, END_HEADERS, stream, fields(0x83, path));
        client.send(joined(head, frame(DATA, END_STREAM, stream, content)));
        return this;
    }

    /** Begins a request with content. */
    public int post(String path) throws IOException {
        stream += 2;
        client.send(frame(HEADERS, END_HEADERS, stream, fields(0x83, path)));
        return stream;
    }

    /** Begins a request with content of this type. */
    public int post(String path, String contentType) throws IOException {
        byte[] fields = fields(0x83, path);
        byte[] type = contentType.getBytes(StandardCharsets.US_ASCII);
        // The name is the 31st of the static table (RFC 7541, appendix A).
        ByteBuffer more = ByteBuffer.allocate(fields.length + 3 + type.length)
                .put(fields)
                .put((byte) 0x0f)
                .put((byte) 0x10)
                .put((byte) type.length)
                .put(type);
        stream += 2;
        client.send(frame(HEADERS, END_HEADERS, stream, more.array()));
        return stream;
    }

    /** Sends a part of the content of a request, not the last. */
    public void sendPart(int ofStream, byte[] content) throws IOException {
        client.send(frame(DATA, 0, ofStream, content));
    }

    /** Ends a request behind such parts. */
    public void end(int ofStream) throws IOException {
        client.send(frame(DATA, END_STREAM, ofStream, new byte[0]));
    }

    /** Asks for another protocol in place of content (RFC 8441). Returns the stream. */
    public int connect(String protocol, String path, String... fields) throws IOException {
        List<String> all = new ArrayList<>(List.of(":method", "CONNECT", ":protocol", protocol, ":scheme", "http"));
        all.addAll(List.of(":path", path, ":authority", "localhost"));
        all.addAll(List.of(fields));
        ByteArrayOutputStream literals = new ByteArrayOutputStream();
        for (int i = 0; i < all.size(); i++) {
            if (i % 2 == 0) {
                // A field whose name stands here too (RFC 7541 section 6.2.2).
                literals.write(0);
            }
            literals.write(all.get(i).length());
            literals.writeBytes(all.get(i).getBytes(StandardCharsets.US_ASCII));
        }
        stream += 2;
        client.send(frame(HEADERS, END_HEADERS, stream, literals.toByteArray()));
        return stream;
    }

    /** What comes next in an answer whose last frame is empty; nothing at its end. */
    public byte[] next(int ofStream) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        boolean ended = false;
        while (content.size() == 0 && !ended) {
            Frame frame = read();
            ended = frame.stream == ofStream && collect(frame, content);
        }
        return content.toByteArray();
    }

    /** Lets the server send so much more in this stream; 0: in all together. */
    public void openWindow(int ofStream, int bytes) throws IOException {
        client.send(frame(
                WINDOW_UPDATE, 0, ofStream, ByteBuffer.allocate(4).putInt(bytes).array()));
    }

    /** Sends the content of a request, whatever the server's windows are: see to it that they are large enough. */
    public Http2Frames send(int ofStream, byte[] content) throws IOException {
        int begin = 0;
        do {
            int end = Math.min(content.length, begin + MOST_OF_A_FRAME);
            client.send(frame(
                    DATA, end == content.length ? END_STREAM : 0, ofStream, Arrays.copyOfRange(content, begin, end)));
            begin = end;
        } while (begin < content.length);
        return this;
    }

    /** Begins a request with content, of which there is some, and ends it by trailers that no client may send: all in one write. */
    public void postWithMalformedTrailers(String path) throws IOException {
        stream += 2;
        byte[] headers = frame(HEADERS, END_HEADERS, stream, fields(0x83, path));
        byte[] data = frame(DATA, 0, stream, new byte[] {'h', 'i'});
        client.send(joined(headers, data, malformedTrailers(stream)));
    }

    /** Ends a request by trailers that no client may send. */
    public void sendMalformedTrailers(int ofStream) throws IOException {
        client.send(malformedTrailers(ofStream));
    }

    // A pseudo-header field, :method (RFC 9113 section 8.1).
    private static byte[] malformedTrailers(int ofStream) {
        return frame(HEADERS, END_STREAM | END_HEADERS, ofStream, new byte[] {(byte) 0x82});
    }

    /** Begins no more requests. */
    public void goAway() throws IOException {
        client.send(frame(GOAWAY, 0, 0, new byte[8]));
    }

    /** Wants no more of the answer to the last request. */
    public void cancel() throws IOException {
        client.send(frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, CANCEL}));
    }

    // HPACK (RFC 7541): from the static table the method and http, :path and :authority as literals.
    private static byte[] fields(int method, String path) {
        byte[] pathBytes = path.getBytes(StandardCharsets.US_ASCII);
        byte[] authority = "localhost".getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(6 + pathBytes.length + authority.length)
                .put((byte) method)
                .put((byte) 0x86)
                .put((byte) 0x04)
                .put((byte) pathBytes.length)
                .put(pathBytes)
                .put((byte) 0x01)
                .put((byte) authority.length)
                .put(authority)
                .array();
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    /** The content of the answer to the last request. */
    public String content() throws IOException {
        return new String(contentBytes(), StandardCharsets.ISO_8859_1);
    }

    /** The same as bytes. */
    public byte[] contentBytes() throws IOException {
        return content(stream);
    }

    /** The content of the answer to a request; passes over what belongs to others. */
    public byte[] content(int ofStream) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        while (true) {
            Frame frame = read();
            if (frame.stream == ofStream && collect(frame, content)) {
                return content.toByteArray();
            }
        }
    }

    /** The contents of so many answers by their streams, in whatever order their frames come. */
    public Map<Integer, byte[]> contents(int answers) throws IOException {
        Map<Integer, ByteArrayOutputStream> begun = new TreeMap<>();
        Map<Integer, byte[]> ended = new TreeMap<>();
        while (ended.size() < answers) {
            Frame frame = read();
            if (ended.containsKey(frame.stream)) {
                // Of a request whose content it has not read the server resets the stream behind the answer (RFC 9113
                // section 8.1).
                continue;
            }
            ByteArrayOutputStream content = begun.computeIfAbsent(frame.stream, s -> new ByteArrayOutputStream());
            if (collect(frame, content)) {
                ended.put(frame.stream, content.toByteArray());
            }
        }
        return ended;
    }

    /** @return whether that was all */
    private static boolean collect(Frame frame, ByteArrayOutputStream content) throws IOException {
        if (frame.type == RST_STREAM) {
            throw new IOException(
                    "stream was reset: error " + ByteBuffer.wrap(frame.payload).getInt());
        }
        if (frame.type == DATA) {
            content.write(frame.payload);
        }
        return frame.endsAnswer();
    }

    /** Reads until the server says that it goes away: the last stream that it serves, if that is no failure. */
    public int awaitGoAway() throws IOException {
        ByteBuffer payload = goAwayPayload();
        int last = payload.getInt();
        int error = payload.getInt();
        if (error != 0) {
            throw new IOException("the connection has failed: error " + error);
        }
        return last;
    }

    /** Reads until the server says that it goes away: the error, 0 if there is none. */
    public int awaitGoAwayError() throws IOException {
        return goAwayPayload().getInt(4);
    }

    /** Reads until the server resets a stream, whose answer may come before: the error. */
    public int awaitReset(int ofStream) throws IOException {
        Frame frame = read();
        while (frame.type != RST_STREAM || frame.stream != ofStream) {
            frame = read();
        }
        return ByteBuffer.wrap(frame.payload).getInt();
    }

    private ByteBuffer goAwayPayload() throws IOException {
        Frame frame = read();
        while (frame.type != GOAWAY) {
            frame = read();
        }
        return ByteBuffer.wrap(frame.payload);
    }

    private Frame read() throws IOException {
        ByteBuffer head = ByteBuffer.wrap(exactly(9));
        int length = ((head.get() & 0xff) << 16) | (head.getShort() & 0xffff);
        int type = head.get();
        int flags = head.get();
        int ofStream = head.getInt();
        return new Frame(type, flags, ofStream, exactly(length));
    }

    private byte[] exactly(int length) throws IOException {
        byte[] bytes = client.in().readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("a frame ends at " + bytes.length + " of " + length);
        }
        return bytes;
    }
}
