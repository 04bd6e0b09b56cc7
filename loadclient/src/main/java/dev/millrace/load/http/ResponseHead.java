package dev.millrace.load.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Status and fields of one answer (RFC 9112 sections 4 and 5). It points into the buffer that the answer was read into,
 * and makes a text of a field only when asked for one: most answers are judged by their status. Valid until the body is
 * read. Used by one thread.
 */
public final class ResponseHead {

    /** RFC 9110 section 15.3.1. */
    public static final int OK = 200;
    /** RFC 9110 section 15.3.7. */
    public static final int PARTIAL_CONTENT = 206;

    private static final int FIRST_FIELDS = 16;
    private static final int PARTS = 4;
    private static final int MOST_DIGITS = 18;

    private byte[] bytes = new byte[0];
    private int status;
    private int fieldCount;
    /** Start and end of each name, start and end of each value. */
    private int[] places = new int[FIRST_FIELDS * PARTS];

    /** A head without fields. */
    ResponseHead() {
    }

    /**
     * A head from nothing, for checks that are tried without a connection.
     *
     * @param fields {@code Name: value} each
     */
    public static ResponseHead of(int status, String... fields) {
        ResponseHead head = new ResponseHead();
        head.begin(String.join("", fields).getBytes(StandardCharsets.ISO_8859_1), status);
        int start = 0;
        for (String field : fields) {
            int colon = field.indexOf(':');
            head.add(start, start + colon, start + colon + 1, start + field.length());
            start += field.length();
        }
        return head;
    }

    /** The status code. */
    public int status() {
        return status;
    }

    /** The value of the first field of that name, whatever its case, or null. */
    public String field(String name) {
        int field = indexOf(name);
        return field < 0 ? null : value(field);
    }

    /**
     * Whether the value of the first field of that name contains a text of one line. Asked of each answer: it makes no string.
     */
    public boolean fieldContains(String name, String text) {
        int field = indexOf(name);
        return field >= 0 && contains(places[field * PARTS + 2], places[field * PARTS + 3], text);
    }

    private int indexOf(String name) {
        for (int i = 0; i < fieldCount; i++) {
            if (isNamed(i, name)) {
                return i;
            }
        }
        return -1;
    }

    private boolean contains(int from, int to, String text) {
        for (int start = from; start + text.length() <= to; start++) {
            int same = 0;
            while (same < text.length() && (bytes[start + same] & 0xff) == text.charAt(same)) {
                same++;
            }
            if (same == text.length()) {
                return true;
            }
        }
        return false;
    }

    void begin(byte[] buffer, int code) {
        bytes = buffer;
        status = code;
        fieldCount = 0;
    }

    void add(int nameStart, int nameEnd, int valueStart, int valueEnd) {
        int at = fieldCount * PARTS;
        if (at == places.length) {
            places = Arrays.copyOf(places, at * 2);
        }
        places[at] = nameStart;
        places[at + 1] = nameEnd;
        places[at + 2] = valueStart;
        places[at + 3] = valueEnd;
        fieldCount++;
    }

    /** The line before goes on (RFC 9112 section 5.2: obsolete folding, to be read as blanks). */
    boolean extend(int valueEnd) {
        if (fieldCount == 0) {
            return false;
        }
        places[fieldCount * PARTS - 1] = valueEnd;
        return true;
    }

    int fieldCount() {
        return fieldCount;
    }

    boolean isNamed(int field, String name) {
        int start = places[field * PARTS];
        if (places[field * PARTS + 1] - start != name.length()) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (lower(bytes[start + i]) != lower((byte) name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** The field's value if it is digits alone and fits, or -1. */
    long number(int field) {
        int start = places[field * PARTS + 2];
        int end = places[field * PARTS + 3];
        while (start < end && bytes[start] <= ' ' && bytes[start] >= 0) {
            start++;
        }
        while (start < end && bytes[end - 1] <= ' ' && bytes[end - 1] >= 0) {
            end--;
        }
        long number = 0;
        for (int i = start; i < end; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return -1;
            }
            number = number * 10 + bytes[i] - '0';
        }
        return start == end || end - start > MOST_DIGITS ? -1 : number;
    }

    String value(int field) {
        int start = places[field * PARTS + 2];
        String text = new String(bytes, start, places[field * PARTS + 3] - start, StandardCharsets.ISO_8859_1);
        return text.indexOf('\n') < 0 ? text.strip() : text.replaceAll("\\s*\\r?\\n\\s*", " ").strip();
    }

    private static int lower(byte b) {
        return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b;
    }
}
