package dev.millrace.conformance.fuzz;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers of HTTP/1.1 as far as it takes to see whether the last one is whole. */
final class Answers {
    private static final Pattern HEAD = Pattern.compile("\\GHTTP/1\\.1 (\\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n");
    private static final Pattern LENGTH = Pattern.compile("(?:^|\n)Content-Length: (\\d+)\r");
    private static final Pattern CHUNK = Pattern.compile("\\G([0-9A-F]+)\r\n");
    private static final Pattern TRAILERS = Pattern.compile("\\G(?:[^\r\n]+\r\n)*\r\n");

    private Answers() {}

    /**
     * Whether bytes are a row of whole answers. An answer without a length lasts until the end, and counts as whole.
     *
     * @param requests what they are answers to, for one to HEAD has no content
     */
    static boolean areWhole(String bytes, List<SentRequests.Sent> requests) {
        int position = 0;
        int answered = 0;
        while (position < bytes.length()) {
            Matcher head = HEAD.matcher(bytes);
            if (!head.find(position)) {
                return false;
            }
            boolean isInterim = head.group(1).startsWith("1");
            boolean isToHead = answered < requests.size()
                    && requests.get(answered).method().equals("HEAD");
            position = isInterim || isToHead ? head.end() : end(bytes, head);
            if (position < 0) {
                return false;
            }
            answered += isInterim ? 0 : 1;
        }
        return true;
    }

    private static int end(String bytes, Matcher head) {
        int status = Integer.parseInt(head.group(1));
        String fields = head.group(2);
        if (status == 204 || status == 304) {
            return head.end();
        }
        if (fields.contains("Transfer-Encoding: chunked\r\n")) {
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
