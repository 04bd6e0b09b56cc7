package dev.millrace.load.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads answers of HTTP/1.1 (RFC 9112) from a stream, one after the other, without an object per answer. It is strict
 * about the framing: an answer whose end could be read in two ways is malformed. Used by one thread.
 */
final class ResponseReader {

    /** Receives a body while it comes. */
    interface Sink {
        /** Takes some bytes; returns false to stop reading. */
        boolean bytes(byte[] chunk, int offset, int length);
    }

    private static final int LEAST_BUFFER_BYTES = 8192;
    private static final int LARGEST_HEAD_BYTES = 64 * 1024;
    private static final int MOST_QUOTED = 40;
    private static final int SWITCHING = 101;
    private static final int FIRST_FINAL = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;

    private final InputStream in;
    private final int mostRead;
    private final Framing framing = new Framing();
    private final BufferedHead head = new BufferedHead();
    private byte[] buffer;
    private int position;
    private int limit;
    private boolean bodiless;

    /**
     * A reader.
     *
     * @param chunk the buffer, if it is large enough; its length bounds each read of the body
     */
    ResponseReader(InputStream in, byte[] chunk) {
        this.in = in;
        this.mostRead = chunk.length;
        this.buffer = chunk.length >= LEAST_BUFFER_BYTES ? chunk : new byte[LEAST_BUFFER_BYTES];
    }

    /**
     * Reads the head of the next final answer. Interim answers are skipped (RFC 9110 section 15.2). Behind 101 another
     * protocol begins, so that no answer follows.
     *
     * @param toHead whether it answers a HEAD, so that no body follows (RFC 9112 section 6.3)
     */
    BufferedHead head(boolean toHead) throws IOException {
        bodiless = toHead;
        do {
            int length = headLength();
            parse(position, position + length);
            position += length;
        } while (head.status() < FIRST_FINAL && head.status() != SWITCHING);
        return head;
    }

    /** Whether another answer may follow the one whose head was read last (RFC 9112 section 9.3). */
    boolean persistent() {
        return framing.persistent() && !endsWithConnection() && head.status() != SWITCHING;
    }

    /** Whether the body of the answer whose head was read last ends where the connection does. */
    boolean endsWithConnection() {
        return hasBody() && !framing.delimited();
    }

    /** Reads the body of the answer whose head was read last. Returns false if the sink stopped it. */
    boolean body(Sink sink) throws IOException {
        if (!hasBody()) {
            return true;
        }
        if (framing.chunked()) {
            return chunks(sink);
        }
        if (framing.length() >= 0) {
            return exactly(framing.length(), sink);
        }
        while (position < limit || fill()) {
            if (!give(limit - position, sink)) {
                return false;
            }
        }
        return true;
    }

    /** Bytes in the buffer that follow the last answer. */
    int unread() {
        return limit - position;
    }

    /** Reads on until the peer closes. */
    void skipAll() throws IOException {
        do {
            position = limit;
        } while (fill());
    }

    private boolean hasBody() {
        int status = head.status();
        return !bodiless && status != NO_CONTENT && status != NOT_MODIFIED && status != SWITCHING;
    }

    /** Reads until the buffer holds a whole head. Returns its length, with the empty line that ends it. */
    private int headLength() throws IOException {
        int line = 0;
        int scanned = 0;
        while (true) {
            for (; position + scanned < limit; scanned++) {
                if (buffer[position + scanned] != '\n') {
                    continue;
                }
                int end = withoutReturn(position + line, position + scanned);
                if (line == 0) {
                    statusCode(position, end);
                } else if (end == position + line) {
                    return scanned + 1;
                }
                line = scanned + 1;
            }
            if (!more()) {
                throw scanned == 0
                        ? new BadResponseException(FailureKind.RESET, "closed before the answer")
                        : new BadResponseException(FailureKind.SHORT_BODY, "closed inside the head");
            }
        }
    }

    private int withoutReturn(int start, int end) {
        return end > start && buffer[end - 1] == '\r' ? end - 1 : end;
    }

    /** Parses {@code HTTP/1.x NNN} and ignores the reason (RFC 9112 section 4). */
    private int statusCode(int start, int end) throws BadResponseException {
        boolean right = end - start >= 12
                && buffer[start] == 'H'
                && buffer[start + 1] == 'T'
                && buffer[start + 2] == 'T'
                && buffer[start + 3] == 'P'
                && buffer[start + 4] == '/'
                && buffer[start + 5] == '1'
                && buffer[start + 6] == '.'
                && buffer[start + 8] == ' '
                && (end - start == 12 || buffer[start + 12] == ' ');
        int code = 0;
        for (int i = start + 9; right && i < start + 12; i++) {
            right = buffer[i] >= '0' && buffer[i] <= '9';
            code = code * 10 + buffer[i] - '0';
        }
        if (!right || code < 100) {
            throw new BadResponseException(FailureKind.MALFORMED, "no status line: " + quoted(start, end));
        }
        return code;
    }

    private String quoted(int start, int end) {
        return new String(buffer, start, Math.min(end - start, MOST_QUOTED), StandardCharsets.ISO_8859_1);
    }

    private void parse(int start, int end) throws BadResponseException {
        int line = indexOf('\n', start, end);
        head.begin(buffer, statusCode(start, withoutReturn(start, line)));
        boolean modern = buffer[start + 7] != '0';
        for (int next = line + 1; next < end; next = line + 1) {
            line = indexOf('\n', next, end);
            int stop = withoutReturn(next, line);
            if (stop == next) {
                break;
            }
            field(next, stop);
        }
        framing.read(head, modern);
    }

    /** Takes a field line, or the continuation of the one before (RFC 9112 sections 5 and 5.2). */
    private void field(int start, int end) throws BadResponseException {
        if (buffer[start] == ' ' || buffer[start] == '\t') {
            if (!head.extend(end)) {
                throw new BadResponseException(FailureKind.MALFORMED, "a blank before the first field");
            }
            return;
        }
        int colon = indexOf(':', start, end);
        if (colon == end || colon == start || buffer[colon - 1] <= ' ') {
            throw new BadResponseException(FailureKind.MALFORMED, "no field: " + quoted(start, end));
        }
        head.add(start, colon, colon + 1, end);
    }

    private int indexOf(int wanted, int start, int end) {
        int i = start;
        while (i < end && buffer[i] != wanted) {
            i++;
        }
        return i;
    }

    private boolean exactly(long length, Sink sink) throws IOException {
        long left = length;
        while (left > 0) {
            if (position == limit && !fill()) {
                throw new BadResponseException(
                        FailureKind.SHORT_BODY, "closed after " + (length - left) + " of " + length + " bytes");
            }
            int count = (int) Math.min(left, limit - position);
            left -= count;
            if (!give(count, sink)) {
                return false;
            }
        }
        return true;
    }

    /** Passes bytes of the buffer to the sink. Returns false if it stops. */
    private boolean give(int count, Sink sink) {
        int start = position;
        position += count;
        return sink.bytes(buffer, start, count);
    }

    /** Decodes the chunked coding (RFC 9112 section 7.1). Extensions and trailers are skipped. */
    private boolean chunks(Sink sink) throws IOException {
        while (true) {
            long size = chunkSize();
            if (size == 0) {
                while (lineLength() > 0) {
                    // Trailer fields are not kept.
                }
                return true;
            }
            if (!exactly(size, sink)) {
                return false;
            }
            if (lineLength() > 0) {
                throw new BadResponseException(FailureKind.MALFORMED, "a chunk goes on after its end");
            }
        }
    }

    private long chunkSize() throws IOException {
        long size = 0;
        int digits = 0;
        int b = next();
        for (int digit = Character.digit(b, 16); digit >= 0; digit = Character.digit(b, 16)) {
            size = size * 16 + digit;
            digits++;
            b = next();
        }
        if (digits == 0 || digits > 15 || (b != '\r' && b != '\n' && b != ';' && b != ' ' && b != '\t')) {
            throw new BadResponseException(FailureKind.MALFORMED, "no chunk size");
        }
        for (int most = LARGEST_HEAD_BYTES; b != '\n'; b = next()) {
            if (most-- == 0) {
                throw new BadResponseException(FailureKind.MALFORMED, "a chunk extension without end");
            }
        }
        return size;
    }

    /** Skips a line. Returns its length without the line end. */
    private int lineLength() throws IOException {
        int length = 0;
        int last = 0;
        for (int b = next(); b != '\n'; b = next()) {
            last = b;
            if (++length > LARGEST_HEAD_BYTES) {
                throw new BadResponseException(FailureKind.MALFORMED, "a line without end");
            }
        }
        return last == '\r' ? length - 1 : length;
    }

    private int next() throws IOException {
        if (position == limit && !fill()) {
            throw new BadResponseException(FailureKind.SHORT_BODY, "closed inside a chunked body");
        }
        return buffer[position++];
    }

    /** Reads into the empty buffer. Returns false at the end of the stream. */
    private boolean fill() throws IOException {
        position = 0;
        limit = 0;
        int count = in.read(buffer, 0, Math.min(mostRead, buffer.length));
        limit = Math.max(0, count);
        return count >= 0;
    }

    /** Reads more bytes behind those in the buffer, which may grow. Returns false at the end of the stream. */
    private boolean more() throws IOException {
        if (position == limit) {
            return fill();
        }
        if (limit == buffer.length) {
            if (position == 0) {
                if (buffer.length >= LARGEST_HEAD_BYTES) {
                    throw new BadResponseException(
                            FailureKind.MALFORMED, "a head of more than " + buffer.length + " bytes");
                }
                buffer = Arrays.copyOf(buffer, buffer.length * 2);
            } else {
                System.arraycopy(buffer, position, buffer, 0, limit - position);
                limit -= position;
                position = 0;
            }
        }
        int count = in.read(buffer, limit, buffer.length - limit);
        limit += Math.max(0, count);
        return count >= 0;
    }
}
