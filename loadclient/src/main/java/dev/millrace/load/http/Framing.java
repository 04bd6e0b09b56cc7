package dev.millrace.load.http;

import java.util.Locale;

/**
 * Where an answer's body ends, and whether another answer may follow (RFC 9112 sections 6.3 and 9.3), by the fields of
 * its head. Used by one thread.
 */
final class Framing {

    private static final long UNKNOWN = -1;

    private long length;
    private boolean chunked;
    private boolean persistent;

    /**
     * Reads the fields.
     *
     * @param isModern whether the answer is of HTTP/1.1 or newer: those connections persist unless said otherwise
     * @throws BadAnswerException if they contradict each other or themselves
     */
    void read(ResponseHead head, boolean isModern) throws BadAnswerException {
        length = UNKNOWN;
        chunked = false;
        persistent = isModern;
        boolean coded = false;
        for (int i = 0; i < head.fieldCount(); i++) {
            if (head.isNamed(i, "Content-Length")) {
                length(head.number(i));
            } else if (head.isNamed(i, "Transfer-Encoding")) {
                String codings = head.value(i).toLowerCase(Locale.ROOT);
                coded = true;
                // The last coding counts: without "chunked" there only the connection's end ends the body.
                chunked = codings.equals("chunked") || codings.matches(".*,\\s*chunked");
            } else if (head.isNamed(i, "Connection")) {
                connection(head.value(i).toLowerCase(Locale.ROOT));
            }
        }
        // Who believes the one and who believes the other find the next answer in different places (section 6.3).
        if (coded && length != UNKNOWN) {
            throw new BadAnswerException(Fault.MALFORMED, "both Transfer-Encoding and Content-Length");
        }
    }

    private void length(long announced) throws BadAnswerException {
        // Two that agree may be read as one, and are a fault of the server's all the same.
        if (announced < 0 || length != UNKNOWN) {
            throw new BadAnswerException(Fault.MALFORMED, "Content-Length is no number, or there are two");
        }
        length = announced;
    }

    private void connection(String options) {
        for (String option : options.split(",")) {
            if (option.strip().equals("close")) {
                persistent = false;
                return;
            }
            persistent |= option.strip().equals("keep-alive");
        }
    }

    boolean chunked() {
        return chunked;
    }

    /** Bytes of the body, or -1. */
    long length() {
        return length;
    }

    /** Whether both sides mean to keep the connection. */
    boolean persistent() {
        return persistent;
    }

    /** Whether the body ends before the connection does. */
    boolean delimited() {
        return chunked || length >= 0;
    }
}
