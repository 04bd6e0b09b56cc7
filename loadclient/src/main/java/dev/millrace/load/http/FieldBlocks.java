package dev.millrace.load.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http2.frame.FrameFlag;
import org.apache.hc.core5.http2.frame.RawFrame;
import org.apache.hc.core5.http2.hpack.HPackDecoder;
import org.apache.hc.core5.http2.hpack.HPackEncoder;
import org.apache.hc.core5.http2.hpack.HPackException;
import org.apache.hc.core5.util.ByteArrayBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The field blocks of one connection, compressed by HPACK (RFC 7541) and cut into HEADERS and CONTINUATION frames (RFC
 * 9113 section 4.3). Used by the connection's thread.
 */
final class FieldBlocks {

    static final int TABLE_BYTES = 4096;
    private static final int LARGEST_BLOCK_BYTES = 256 * 1024;
    private static final int PRIORITY_BYTES = 5;
    /** A table size update to 0 (RFC 7541 section 6.3). */
    private static final int NO_TABLE = 0x20;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final HPackDecoder decoder = new HPackDecoder(TABLE_BYTES, StandardCharsets.ISO_8859_1);
    private final HPackEncoder encoder = new HPackEncoder(TABLE_BYTES, StandardCharsets.ISO_8859_1);
    private final ByteArrayBuffer encoded = new ByteArrayBuffer(512);
    private final ByteArrayOutputStream fragments = new ByteArrayOutputStream();
    private boolean tableWithdrawn;
    private boolean endStream;

    /** Encodes without a table from now on, because the peer wants a smaller one. */
    void withdrawTable() {
        encoder.setMaxTableSize(0);
        tableWithdrawn = true;
    }

    /** Encodes fields. The result is valid until the next call. */
    ByteBuffer encode(List<Header> fields) throws BadResponseException {
        encoded.clear();
        if (tableWithdrawn) {
            encoded.append(NO_TABLE);
            tableWithdrawn = false;
        }
        try {
            encoder.encodeHeaders(encoded, fields, false);
        } catch (CharacterCodingException e) {
            throw new BadResponseException(FailureKind.OTHER, "a request field that is not ISO 8859-1");
        }
        return ByteBuffer.wrap(encoded.array(), 0, encoded.length());
    }

    /** Takes a HEADERS frame. Returns its fields, or null if CONTINUATION must follow. */
    @Nullable List<Header> headers(RawFrame frame) throws BadResponseException {
        boolean weighted = frame.isFlagSet(FrameFlag.PRIORITY);
        ByteBuffer fields = unpadded(frame);
        if (fields.remaining() < (weighted ? PRIORITY_BYTES : 0)) {
            throw new BadResponseException(FailureKind.MALFORMED, "HEADERS that is too short");
        }
        fields.position(fields.position() + (weighted ? PRIORITY_BYTES : 0));
        endStream = frame.isFlagSet(FrameFlag.END_STREAM);
        if (frame.isFlagSet(FrameFlag.END_HEADERS)) {
            return decode(fields);
        }
        fragments.reset();
        keep(fields);
        return null;
    }

    /**
     * Takes a CONTINUATION frame of the block under way, which {@link FrameInput} has made sure of. Returns the fields,
     * or null if another must follow.
     */
    @Nullable List<Header> continuation(RawFrame frame) throws BadResponseException {
        keep(payload(frame, 0));
        if (!frame.isFlagSet(FrameFlag.END_HEADERS)) {
            return null;
        }
        return decode(ByteBuffer.wrap(fragments.toByteArray()));
    }

    /** Whether the stream of the last block has ended with it. */
    boolean endStream() {
        return endStream;
    }

    private List<Header> decode(ByteBuffer fields) throws BadResponseException {
        try {
            return decoder.decodeHeaders(fields);
        } catch (HPackException | IllegalArgumentException | IndexOutOfBoundsException e) {
            // HttpCore checks the index of a field, and the numbers of a block, as arguments of its own methods.
            throw new BadResponseException(FailureKind.MALFORMED, "no field block: " + Failure.firstLine(e));
        }
    }

    /** Keeps a fragment until its block is complete. */
    private void keep(ByteBuffer fragment) throws BadResponseException {
        if (fragments.size() + fragment.remaining() > LARGEST_BLOCK_BYTES) {
            throw new BadResponseException(FailureKind.MALFORMED, "fields of more than " + fragments.size() + " bytes");
        }
        byte[] bytes = new byte[fragment.remaining()];
        fragment.get(bytes);
        fragments.writeBytes(bytes);
    }

    /**
     * The payload of a frame of a type without padding (RFC 9113 section 4.2).
     *
     * @throws BadResponseException if it has fewer bytes than the type needs
     */
    static ByteBuffer payload(RawFrame frame, int least) throws BadResponseException {
        ByteBuffer payload = frame.getPayload();
        if (frame.getLength() < least) {
            throw new BadResponseException(FailureKind.MALFORMED, "a frame that is too short");
        }
        return payload == null ? NOTHING : payload;
    }

    /** The payload of a DATA or HEADERS frame without its padding (RFC 9113 section 6.1). */
    static ByteBuffer unpadded(RawFrame frame) throws BadResponseException {
        ByteBuffer content = frame.getPayloadContent();
        if (content == null && (frame.getLength() > 0 || frame.isFlagSet(FrameFlag.PADDED))) {
            throw new BadResponseException(FailureKind.MALFORMED, "padding that is longer than its frame");
        }
        return content == null ? NOTHING : content;
    }
}
