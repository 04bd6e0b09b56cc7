package dev.millrace.load.http;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hc.core5.http2.frame.RawFrame;
import org.jspecify.annotations.Nullable;

/** The streams of one connection of HTTP/2 by their numbers (RFC 9113 section 5.1). Used by the connection's thread. */
final class OpenStreams {

    private final Map<Integer, Http2Stream> open = new LinkedHashMap<>();
    /** Streams that ended before their answers, of which more may be on the way. Each has the half of its number. */
    private final BitSet givenUp = new BitSet();

    private int nextId = 1;

    /** Opens a stream. Returns its number. */
    int add(Http2Stream stream) {
        int id = nextId;
        nextId += 2;
        open.put(id, stream);
        return id;
    }

    /** Whether there is a number for another stream. */
    boolean hasNext() {
        return nextId > 0;
    }

    /** Those that have not ended, the oldest first. */
    Map<Integer, Http2Stream> all() {
        return open;
    }

    /**
     * The stream of a frame; null if it has ended.
     *
     * @throws BadResponseException if the stream is idle
     */
    @Nullable Http2Stream of(RawFrame frame) throws BadResponseException {
        int id = frame.getStreamId();
        if (id % 2 == 0 || Integer.compareUnsigned(id, nextId) >= 0) {
            throw new BadResponseException(
                    FailureKind.MALFORMED, "a frame on stream " + id + ", on which no request was sent");
        }
        return open.get(id);
    }

    /**
     * The stream of a frame that is a part of an answer; null if the answer was given up.
     *
     * @throws BadResponseException if the stream is idle, or the answer is complete
     */
    @Nullable Http2Stream ofAnswer(RawFrame frame) throws BadResponseException {
        Http2Stream stream = of(frame);
        if (stream == null && !givenUp.get(frame.getStreamId() / 2)) {
            throw new BadResponseException(
                    FailureKind.MALFORMED, "a frame behind the end of the answer on stream " + frame.getStreamId());
        }
        return stream;
    }

    /** Ends a stream. Returns it; null if it has ended before. */
    @Nullable Http2Stream end(int id) {
        return open.remove(id);
    }

    /** Expects more of an answer whose stream has ended. */
    void giveUp(int id) {
        givenUp.set(id / 2);
    }

    /** Ends all. Returns those that had not ended. */
    List<Http2Stream> endAll() {
        List<Http2Stream> all = new ArrayList<>(open.values());
        open.clear();
        return all;
    }
}
