package dev.millrace.load.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntConsumer;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.jspecify.annotations.Nullable;

/** One exchange on a connection of HTTP/2 (RFC 9113 section 5). Used by the connection's thread. */
final class Http2Stream {

    private static final int FIRST_FINAL = 200;
    private static final int NO_CONTENT = 204;
    private static final int NOT_MODIFIED = 304;
    private static final byte[] NO_BODY = new byte[0];

    private final Call call;
    private final Timing timing;
    private final IntConsumer meter;
    private final StreamListener listener;
    /** What is left of the request's body. */
    private final ByteBuffer unsent;
    /** Bytes of the request's body that the peer allows now (RFC 9113 section 5.2). */
    private long window;
    /** Bytes of the answer by which our window is smaller, and which no WINDOW_UPDATE has returned yet. */
    private long unreported;

    private boolean begun;
    private boolean brokenOff;
    private boolean bodiless;
    private long announced = Http2Head.UNKNOWN;
    private long received;
    /** The number of the read that has brought the body's first byte. */
    private int firstRead;

    Http2Stream(Call call, Timing timing, IntConsumer meter, StreamListener listener, long window) {
        this.call = call;
        this.timing = timing;
        this.meter = meter;
        this.listener = listener;
        this.window = window;
        timing.reset();
        byte[] body = call.request().body();
        this.unsent = ByteBuffer.wrap(body == null ? NO_BODY : body);
    }

    ByteBuffer unsent() {
        return unsent;
    }

    long window() {
        return window;
    }

    void addWindow(long bytes) {
        window += bytes;
    }

    /**
     * Counts bytes by which the stream's window has become smaller.
     *
     * @param most unreported bytes that need no WINDOW_UPDATE yet
     * @return bytes of the WINDOW_UPDATE to send now; 0 for none
     */
    int used(int bytes, int most) {
        unreported += bytes;
        if (unreported <= most) {
            return 0;
        }
        int opened = (int) unreported;
        unreported = 0;
        return opened;
    }

    /**
     * Fields have come: those of an interim answer, of the answer, or trailers.
     *
     * @param last whether the stream ends with them
     */
    void headers(List<Header> fields, boolean last) throws BadResponseException {
        if (begun) {
            // RFC 9113 section 8.1: what follows the fields of the final answer are trailers, and they end it.
            if (!last || Http2Head.holdsPseudo(fields)) {
                throw new BadResponseException(FailureKind.MALFORMED, "a second answer, or trailers before the end");
            }
            return;
        }
        if (timing.headerByte == 0) {
            timing.headerByte = System.nanoTime();
        }
        Http2Head head = new Http2Head(fields);
        if (head.status() < FIRST_FINAL) {
            return;
        }
        begun = true;
        bodiless = call.request().isHead() || head.status() == NO_CONTENT || head.status() == NOT_MODIFIED;
        announced = head.announcedLength();
        call.check().begin(head);
    }

    /**
     * Bytes of the body have come. Returns false to break it off.
     *
     * @param read number of the read that has brought the last of them
     */
    boolean data(byte[] bytes, int offset, int count, int read) throws BadResponseException {
        if (!begun) {
            throw new BadResponseException(FailureKind.MALFORMED, "DATA before HEADERS");
        }
        if (count == 0) {
            return true;
        }
        if (timing.bodyByte == 0) {
            timing.bodyByte = System.nanoTime();
            firstRead = read;
        }
        timing.bodyInOneRead = read == firstRead;
        int taken = call.taken(received, count);
        timing.bodyBytes += taken;
        received += taken;
        meter.accept(taken);
        call.check().body(bytes, offset, taken);
        if (call.goesOn(received)) {
            return true;
        }
        brokenOff = true;
        call.check().stopped();
        return false;
    }

    boolean brokenOff() {
        return brokenOff;
    }

    /** The answer is complete, or was broken off. */
    void end() {
        timing.end = System.nanoTime();
        if (timing.bodyByte == 0) {
            timing.bodyByte = timing.end;
            timing.bodyInOneRead = true;
        }
        listener.ended(brokenOff ? null : failure());
    }

    private @Nullable Failure failure() {
        if (!begun) {
            return new Failure(FailureKind.MALFORMED, "an answer without HEADERS");
        }
        if (bodiless && received > 0) {
            return new Failure(FailureKind.WRONG_CONTENT, received + " bytes in an answer that has no content");
        }
        // RFC 9113 section 8.1.1: a length that is not that of the DATA makes an answer malformed.
        if (!bodiless && announced != Http2Head.UNKNOWN && received != announced) {
            return received < announced
                    ? new Failure(FailureKind.SHORT_BODY, "ended after " + received + " of " + announced + " bytes")
                    : new Failure(FailureKind.WRONG_CONTENT, received + " bytes, content-length says " + announced);
        }
        return call.check().end();
    }

    /** The answer will not come. */
    void fail(Failure failure) {
        listener.ended(failure);
    }

    /** The failure of this exchange when its connection fails. */
    BadResponseException failureOf(IOException failure) {
        if (failure instanceof BadResponseException bad) {
            return bad;
        }
        if (failure instanceof ConnectionClosedException) {
            return begun
                    ? new BadResponseException(FailureKind.SHORT_BODY, "closed after " + received + " body bytes")
                    : new BadResponseException(FailureKind.RESET, "closed before the answer");
        }
        if (failure instanceof H2ConnectionException) {
            return new BadResponseException(FailureKind.MALFORMED, "no HTTP/2: " + Failure.firstLine(failure));
        }
        Failure other = Failure.ofExchange(failure);
        return new BadResponseException(other.kind(), other.detail());
    }
}
