package dev.millrace.conformance.fuzz;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Joins the chunks of several ranges, so that answers with chunks of different sizes can be compared. Stateless. */
final class Chunks {
    private static final Pattern HEAD = Pattern.compile("HTTP/1\\.1 \\d{3}[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n");
    private static final Pattern SIZE = Pattern.compile("\\G([0-9A-F]+)\r\n");

    private Chunks() {}

    /** The same answers with each content that is several ranges in one piece. Chunks of others stay as they are. */
    static String join(String answer) {
        StringBuilder joined = new StringBuilder();
        Matcher head = HEAD.matcher(answer);
        int position = 0;
        while (head.find(position)) {
            joined.append(answer, position, head.end());
            position = hasRangesInChunks(head.group(1)) ? join(answer, head.end(), joined) : head.end();
        }
        return joined.append(answer, position, answer.length()).toString();
    }

    private static boolean hasRangesInChunks(String fields) {
        return fields.contains("Transfer-Encoding: chunked\r\n")
                && fields.contains("Content-Type: multipart/byteranges;");
    }

    // It returns the place at which the content ends, or stops being well-formed chunks.
    private static int join(String answer, int begin, StringBuilder joined) {
        Matcher size = SIZE.matcher(answer);
        int position = begin;
        while (size.find(position)) {
            int end = size.end() + Integer.parseInt(size.group(1), 16);
            if (end > answer.length()) {
                // Cut off: what came counts, and the size that was promised does not.
                joined.append(answer, size.end(), answer.length());
                return answer.length();
            }
            joined.append(answer, size.end(), end);
            if (end == size.end()) {
                joined.append("[last chunk]");
                return end;
            }
            if (!answer.startsWith("\r\n", end)) {
                return end;
            }
            position = end + 2;
        }
        return position;
    }
}
