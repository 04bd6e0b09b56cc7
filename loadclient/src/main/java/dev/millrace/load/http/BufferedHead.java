package dev.millrace.load.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The head of an answer of HTTP/1.x (RFC 9112 sections 4 and 5). It points into the buffer that the answer was read into,
 * and is valid until the body is read. A string is made of a field only on request, because most answers are checked by
 * their status alone. Used by one thread.
 */
final class BufferedHead implements ResponseHead {

    private static final int FIRST_FIELDS = 16;
    private static final int PARTS = 4;
    private static final int MOST_DIGITS = 18;

    private byte[] bytes = new byte[0];
    private int status;
    private int fieldCount;
    /** Start and end of each name, start and end of each value. */
    private int[] places = new int[FIRST_FIELDS * PARTS];

    /** A head without fields. */
    BufferedHead() {}

    @Override
    public int status() {
        return status;
    }

    @Override
    public @Nullable String field(String name) {
        int field = indexOf(name);
        return field < 0 ? null : value(field);
    }

    @Override
    public boolean hasField(String name, String value) {
        for (int i = 0; i < fieldCount; i++) {
            if (isNamed(i, name) && value(i).equals(value)) {
                return true;
            }
        }
        return false;
    }

    @Override
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

    /** Continues the last field's value (RFC 9112 section 5.2: obsolete folding, read as blanks); false without one. */
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

    /** The field's value if it consists of digits and fits a long; -1 otherwise. */
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
        return text.indexOf('\n') < 0
                ? text.strip()
                : text.replaceAll("\\s*\\r?\\n\\s*", " ").strip();
    }

    private static int lower(byte b) {
        return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b;
    }
}
