package dev.millrace.testing;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A client's WebSocket (RFC 6455) over a stream of HTTP/2 (RFC 8441), by hand. */
public final class WebSocketStream {
    public static final int TEXT = 1;
    public static final int BINARY = 2;
    public static final int CLOSE = 8;
    public static final int PING = 9;
    public static final int PONG = 10;
    private static final int FIN = 0x80;

    private final Http2Frames frames;
    private final int stream;
    private ByteBuffer come = ByteBuffer.allocate(0);

    /** What one side has said. */
    public record Message(int type, byte[] content) {
        public String text() {
            return new String(content, StandardCharsets.UTF_8);
        }

        /** Why one side closes. */
        public int status() {
            return ByteBuffer.wrap(content).getShort();
        }
    }

    public WebSocketStream(Http2Frames frames, String path) throws IOException {
        this.frames = frames;
        this.stream = frames.connect("websocket", path, "sec-websocket-version", "13");
    }

    public int stream() {
        return stream;
    }

    public void text(String message) throws IOException {
        send(TEXT, message.getBytes(StandardCharsets.UTF_8));
    }

    public void close(int status) throws IOException {
        send(CLOSE, ByteBuffer.allocate(2).putShort((short) status).array());
    }

    public void send(int type, byte[] content) throws IOException {
        byte[] framed = framed(type, content);
        for (int begin = 0; begin < framed.length; begin += Http2Frames.MOST_OF_A_FRAME) {
            int end = Math.min(framed.length, begin + Http2Frames.MOST_OF_A_FRAME);
            frames.sendPart(stream, Arrays.copyOfRange(framed, begin, end));
        }
    }

    private static byte[] framed(int type, byte[] content) {
        ByteBuffer framed = ByteBuffer.allocate(content.length + 14).put((byte) (FIN | type));
        if (content.length < 126) {
            framed.put((byte) (0x80 | content.length));
        } else {
            framed.put((byte) (0x80 | 127)).putLong(content.length);
        }
        byte[] mask = {1, 2, 3, 4};
        framed.put(mask);
        for (int i = 0; i < content.length; i++) {
            framed.put((byte) (content[i] ^ mask[i % 4]));
        }
        return Arrays.copyOf(framed.array(), framed.position());
    }

    /** The next message, of however many frames. */
    public Message receive() throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        int type = 0;
        while (true) {
            int first = octet();
            int length = octet();
            if (length == 126) {
                length = octet() << 8 | octet();
            } else if (length == 127) {
                length = 0;
                for (int i = 0; i < 8; i++) {
                    length = length << 8 | octet();
                }
            }
            for (int i = 0; i < length; i++) {
                content.write(octet());
            }
            type |= first & 0xf;
            if ((first & FIN) != 0) {
                return new Message(type, content.toByteArray());
            }
        }
    }

    private int octet() throws IOException {
        if (!come.hasRemaining()) {
            come = ByteBuffer.wrap(frames.next(stream));
            if (!come.hasRemaining()) {
                throw new EOFException("the stream has ended");
            }
        }
        return come.get() & 0xff;
    }

    /** Reads the end of the server's side. */
    public boolean isEnded() throws IOException {
        return !come.hasRemaining() && frames.next(stream).length == 0;
    }

    /** Ends the client's side. */
    public void end() throws IOException {
        frames.end(stream);
    }
}
