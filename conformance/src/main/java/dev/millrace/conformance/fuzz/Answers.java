package dev.millrace.conformance.fuzz;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads answers of HTTP/1.1 only as far as it is needed to see how the last one ends. Stateless. */
final class Answers {
    private static final Pattern HEAD = Pattern.compile("\\GHTTP/1\\.1 (\\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n");
    private static final Pattern LENGTH = Pattern.compile("(?:^|\n)Content-Length: (\\d+)\r");
    private static final Pattern CHUNK = Pattern.compile("\\G([0-9A-F]+)\r\n");
    private static final Pattern TRAILERS = Pattern.compile("\\G(?:[^\r\n]+\r\n)*\r\n");

    private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";

    private Answers() {}

    /** How an answer ends, as far as its bytes tell. */
    enum Ending {
        /** The answer ends before its end. */
        CUT_OFF,
        /** The answer has neither a length nor chunks, or is to HEAD: it looks whole wherever it is cut off. */
        UNSEEN,
        /** The answer is whole. */
        WHOLE
    }

    /**
     * How the last of a row of answers ends.
     *
     * @param requests the requests that they answer, because an answer to HEAD has no content
     */
    static Ending ending(String bytes, List<SentRequests.Sent> requests) {
        Ending ending = Ending.WHOLE;
        int position = 0;
        int answered = 0;
        while (position < bytes.length()) {
            Matcher head = HEAD.matcher(bytes);
            if (!head.find(position)) {
                return Ending.CUT_OFF;
            }
            boolean isInterim = head.group(1).startsWith("1");
            boolean isToHead = answered < requests.size()
                    && requests.get(answered).method().equals("HEAD");
            position = isInterim || isToHead ? head.end() : end(bytes, head);
            if (position < 0) {
                return Ending.CUT_OFF;
            }
            ending = isToHead || (!isInterim && lastsUntilTheEnd(head)) ? Ending.UNSEEN : Ending.WHOLE;
            answered += isInterim ? 0 : 1;
        }
        return ending;
    }

    private static boolean lastsUntilTheEnd(Matcher head) {
        String fields = head.group(2);
        return hasContent(head)
                && !fields.contains(CHUNKED)
                && !LENGTH.matcher(fields).find();
    }

    private static boolean hasContent(Matcher head) {
        int status = Integer.parseInt(head.group(1));
        return status != 204 && status != 304;
    }

    private static int end(String bytes, Matcher head) {
        String fields = head.group(2);
        if (!hasContent(head)) {
            return head.end();
        }
        if (fields.contains(CHUNKED)) {
            return endOfChunks(bytes, head.end());
        }
        Matcher length = LENGTH.matcher(fields);
        if (!length.find()) {
            return bytes.length();
        }
        int end = head.end() + Integer.parseInt(length.group(1));
        return end <= bytes.length() ? end : -1;
    }

    private static int endOfChunks(String bytes, int begin) {
        int position = begin;
        Matcher chunk = CHUNK.matcher(bytes);
        while (chunk.find(position)) {
            int size = Integer.parseInt(chunk.group(1), 16);
            if (size == 0) {
                Matcher trailers = TRAILERS.matcher(bytes);
                return trailers.find(chunk.end()) ? trailers.end() : -1;
            }
            position = chunk.end() + size + 2;
            if (position > bytes.length()) {
                return -1;
            }
        }
        return -1;
    }
}
