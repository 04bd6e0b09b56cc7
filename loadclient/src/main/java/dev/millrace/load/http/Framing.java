package dev.millrace.load.http;

import java.util.Locale;

/**
 * Tells by an answer's header fields where its body ends, and whether another answer may follow (RFC 9112 sections 6.3
 * and 9.3). Used by one thread.
 */
final class Framing {

    private static final long UNKNOWN = -1;

    private long length;
    private boolean chunked;
    private boolean persistent;
    private boolean closes;

    /**
     * Reads the fields.
     *
     * @param isModern whether the answer is of HTTP/1.1 or newer: such connections persist by default
     * @throws BadResponseException if the fields contradict each other or themselves
     */
    void read(BufferedHead head, boolean isModern) throws BadResponseException {
        length = UNKNOWN;
        chunked = false;
        persistent = isModern;
        closes = false;
        boolean coded = false;
        for (int i = 0; i < head.fieldCount(); i++) {
            if (head.isNamed(i, "Content-Length")) {
                takeLength(head.number(i));
            } else if (head.isNamed(i, "Transfer-Encoding")) {
                String codings = head.value(i).toLowerCase(Locale.ROOT);
                coded = true;
                // The last coding counts. If it is not "chunked", only the end of the connection ends the body.
                chunked = codings.equals("chunked") || codings.matches(".*,\\s*chunked");
            } else if (head.isNamed(i, "Connection")) {
                takeConnection(head.value(i).toLowerCase(Locale.ROOT));
            }
        }
        // Readers that differ in which field they believe find the next answer in different places (section 6.3).
        if (coded && length != UNKNOWN) {
            throw new BadResponseException(FailureKind.MALFORMED, "both Transfer-Encoding and Content-Length");
        }
    }

    private void takeLength(long announced) throws BadResponseException {
        // RFC 9112 lets a client accept two equal fields, but a server that sends two is at fault.
        if (announced < 0 || length != UNKNOWN) {
            throw new BadResponseException(FailureKind.MALFORMED, "Content-Length is no number, or there are two");
        }
        length = announced;
    }

    private void takeConnection(String options) {
        for (String option : options.split(",")) {
            closes |= option.strip().equals("close");
            persistent |= option.strip().equals("keep-alive");
        }
    }

    boolean chunked() {
        return chunked;
    }

    /** Bytes of the body; -1 if they are not announced. */
    long length() {
        return length;
    }

    /** Whether both sides mean to keep the connection. */
    boolean persistent() {
        return persistent && !closes;
    }

    /** Whether the body ends before the connection does. */
    boolean delimited() {
        return chunked || length >= 0;
    }
}
