package dev.millrace.load.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.apache.hc.core5.http2.H2Error;
import org.apache.hc.core5.http2.frame.FrameFlag;
import org.apache.hc.core5.http2.frame.FrameType;
import org.apache.hc.core5.http2.frame.RawFrame;

/**
 * Reads frames (RFC 9113 section 4.1). HttpCore 5.4.4 has a reader too, which loses bits 16 to 23 of the stream's number.
 * After 32,768 requests on a connection no answer would be known any more. Used by one thread.
 */
final class FrameInput {

    private static final int HEAD_BYTES = 9;
    private static final int TYPE = 3;
    private static final int FLAGS = 4;
    private static final int STREAM = 5;
    private static final int BYTE = 0xff;

    private final InputStream in;
    private final int mostPayload;
    private final byte[] bytes;
    private final ByteBuffer view;
    private int start;
    private int end;
    private int reads;
    /** The stream whose field block goes on; 0 for none. */
    private int openBlock;

    /** An input of frames, whose payloads may have up to a number of bytes. */
    FrameInput(InputStream in, int mostPayload) {
        this.in = in;
        this.mostPayload = mostPayload;
        this.bytes = new byte[HEAD_BYTES + mostPayload];
        this.view = ByteBuffer.wrap(bytes);
    }

    /**
     * Reads a frame. Its payload is valid until the next call, and null if it is empty.
     *
     * @throws ConnectionClosedException if the stream has ended
     * @throws H2ConnectionException     if the frame is too long, or must not come now
     */
    RawFrame read() throws IOException {
        await(HEAD_BYTES);
        int head = view.getInt(start);
        int length = head >>> Byte.SIZE;
        int type = bytes[start + TYPE] & BYTE;
        int flags = bytes[start + FLAGS] & BYTE;
        int stream = view.getInt(start + STREAM) & Integer.MAX_VALUE;
        if (length > mostPayload) {
            throw new H2ConnectionException(H2Error.FRAME_SIZE_ERROR, "a frame of " + length + " bytes");
        }
        checkFieldBlock(type, flags, stream);
        await(HEAD_BYTES + length);
        ByteBuffer payload = length == 0 ? null : ByteBuffer.wrap(bytes, start + HEAD_BYTES, length);
        start += HEAD_BYTES + length;
        return new RawFrame(type, flags, stream, payload);
    }

    /** Whether a whole frame has come already, so that {@link #read} would not wait. */
    boolean holdsFrame() {
        return end - start >= HEAD_BYTES && end - start >= HEAD_BYTES + (view.getInt(start) >>> Byte.SIZE);
    }

    /** Number of reads so far that brought bytes; it may wrap around. */
    int reads() {
        return reads;
    }

    /** RFC 9113 section 4.3: the frames of a field block follow each other, without any other frame. */
    private void checkFieldBlock(int type, int flags, int stream) throws H2ConnectionException {
        boolean goesOn = type == FrameType.CONTINUATION.getValue();
        if (goesOn ? stream != openBlock || stream == 0 : openBlock != 0) {
            throw new H2ConnectionException(H2Error.PROTOCOL_ERROR, "a field block that other frames interrupt");
        }
        if (goesOn || type == FrameType.HEADERS.getValue()) {
            openBlock = (flags & FrameFlag.END_HEADERS.getValue()) == 0 ? stream : 0;
        }
    }

    /** Waits until so many bytes are there. */
    private void await(int count) throws IOException {
        if (start + count > bytes.length) {
            System.arraycopy(bytes, start, bytes, 0, end - start);
            end -= start;
            start = 0;
        }
        while (end - start < count) {
            if (start == end) {
                start = 0;
                end = 0;
            }
            int read = in.read(bytes, end, bytes.length - end);
            if (read < 0) {
                throw new ConnectionClosedException();
            }
            end += read;
            reads++;
        }
    }
}
