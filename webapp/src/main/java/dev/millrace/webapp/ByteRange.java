package dev.millrace.webapp;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Enumeration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a response: {@code length} of them from {@code start}. A range of length 0 cannot be satisfied.
 * Immutable.
 */
record ByteRange(long start, long length) {
    // Eighteen digits always fit a long. Possessive quantifiers: with many blanks, backtracking would take long.
    private static final Pattern SINGLE = Pattern.compile("(?i)bytes\\s*+=\\s*+(\\d{0,18})\\s*+-\\s*+(\\d{0,18})\\s*+");

    /**
     * The Range field of a request; null if there is none or several, because it is no list (RFC 9110 section 14.2).
     */
    static @Nullable String field(HttpServletRequest request) {
        Enumeration<String> fields = request.getHeaders("Range");
        String first = fields.hasMoreElements() ? fields.nextElement() : null;
        return fields.hasMoreElements() ? null : first;
    }

    /**
     * Whether If-Range has the date of a file, and the date names one version (RFC 9110 section 13.1.5). Until its second
     * is over the file may become another version of the same date (section 8.8.2.2).
     *
     * @param modifiedMillis time of the file's last change
     */
    static boolean isForDate(HttpServletRequest request, long modifiedMillis) {
        long second = modifiedMillis / 1000 * 1000;
        try {
            return request.getDateHeader("If-Range") == second && second + 1000 <= System.currentTimeMillis();
        } catch (IllegalArgumentException ignored) {
            // The value is an entity tag.
            return false;
        }
    }

    /**
     * Parses a Range field (RFC 9110 section 14.2). Several ranges, another unit or a wrong form select the whole
     * content: a server may ignore the field. Clients of this application need no multipart responses.
     *
     * @param field the field's value, or null
     * @param size size of the content in bytes
     */
    static ByteRange of(@Nullable String field, long size) {
        ByteRange whole = new ByteRange(0, size);
        Matcher range = SINGLE.matcher(field == null ? "" : field);
        if (!range.matches()) {
            return whole;
        }
        if (range.group(1).isEmpty()) {
            if (range.group(2).isEmpty()) {
                return whole;
            }
            long suffix = Math.min(Long.parseLong(range.group(2)), size);
            return new ByteRange(size - suffix, suffix);
        }
        long first = Long.parseLong(range.group(1));
        long last = range.group(2).isEmpty() ? Long.MAX_VALUE : Long.parseLong(range.group(2));
        if (last < first) {
            return whole;
        }
        return first >= size ? new ByteRange(first, 0) : new ByteRange(first, Math.min(last, size - 1) - first + 1);
    }
}
