package dev.millrace.load.scenario;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Checks an answer of the UUID service byte by byte: status, media type and root element. The root must hold the
 * expected number of well-formed UUIDs and nothing else; {@link AnsweredUuids} says which of them are right. Only the
 * markup of such an answer is known, so that the check costs less than an XML parser. Used by one thread.
 */
final class UuidResponseCheck implements ResponseCheck {

    private static final int UUID_LENGTH = 36;
    /** The place at which the lower half of a UUID begins. */
    private static final int LOW_HALF = 19;

    private static final int DIGIT_BITS = 4;
    private static final int MAX_NAME = 16;
    private static final int MAX_EXCERPT = 120;
    /** The value of each hexadecimal digit; below 0 for other bytes. */
    private static final byte[] DIGITS = new byte[256];

    static {
        for (int c = 0; c < DIGITS.length; c++) {
            DIGITS[c] = (byte) Character.digit(c < 128 ? c : 0, 16);
        }
    }

    private enum Mode {
        CONTENT,
        TAG_START,
        NAME,
        IN_TAG,
        INSTRUCTION,
        DECLARATION,
        COMMENT
    }

    private final int expected;
    private final AnsweredUuids answered;
    private final byte[] name = new byte[MAX_NAME];
    private final StringBuilder excerpt = new StringBuilder(MAX_EXCERPT);
    private @Nullable Failure headFailure;
    private Mode mode = Mode.CONTENT;
    private int nameLength;
    private boolean closing;
    private int last;
    private int beforeLast;
    private int depth;
    private boolean inUuid;
    private int uuidLength;
    private boolean uuidRight;
    private long high;
    private long low;
    private @Nullable String root;
    private boolean strayText;
    /** The first markup at a wrong place; null if there is none. */
    private @Nullable String stray;

    private boolean complete;
    private int uuids;
    private int badUuids;

    /**
     * A check for one client.
     *
     * @param expected number of UUIDs in each answer
     * @param method   how they are made; null if that is not known
     */
    UuidResponseCheck(int expected, @Nullable String method) {
        this.expected = expected;
        this.answered = new AnsweredUuids(expected, method);
    }

    @Override
    public void begin(ResponseHead head) {
        mode = Mode.CONTENT;
        depth = 0;
        inUuid = false;
        root = null;
        strayText = false;
        stray = null;
        complete = false;
        uuids = 0;
        badUuids = 0;
        answered.clear();
        excerpt.setLength(0);
        headFailure = headFailure(head);
    }

    private static @Nullable Failure headFailure(ResponseHead head) {
        if (head.status() != ResponseHead.OK) {
            return new Failure(FailureKind.STATUS, "status " + head.status());
        }
        if (!head.fieldContains("Content-Type", "xml")) {
            String type = head.field("Content-Type");
            return new Failure(
                    FailureKind.WRONG_HEADER,
                    "Content-Type: " + (type == null ? "(none)" : type) + " where XML was expected");
        }
        return null;
    }

    @Override
    public void body(byte[] bytes, int offset, int length) {
        int end = offset + length;
        for (int i = offset; i < end; i++) {
            if (mode == Mode.CONTENT && inUuid && uuidLength == 0 && end - i > UUID_LENGTH && isUuid(bytes, i)) {
                uuidLength = UUID_LENGTH;
                i += UUID_LENGTH;
            }
            int b = bytes[i] & 0xff;
            step(b);
            beforeLast = last;
            last = b;
        }
    }

    private void step(int b) {
        switch (mode) {
            case CONTENT -> content(b);
            case TAG_START -> tagStart(b);
            case NAME -> name(b);
            case IN_TAG -> {
                if (b == '>') {
                    tagEnd(last == '/');
                }
            }
            case INSTRUCTION -> leaveIf(b == '>' && last == '?');
            case COMMENT -> leaveIf(b == '>' && last == '-' && beforeLast == '-');
            case DECLARATION -> {
                if (b == '-' && last == '-') {
                    mode = Mode.COMMENT;
                } else if (b == '>') {
                    mode = Mode.CONTENT;
                    if (root != null) {
                        stray("a declaration");
                    }
                }
            }
            default -> throw new IllegalStateException(mode.name());
        }
    }

    private void leaveIf(boolean end) {
        if (end) {
            mode = Mode.CONTENT;
        }
    }

    private void content(int b) {
        if (b == '<') {
            mode = Mode.TAG_START;
            nameLength = 0;
            closing = false;
        } else if (inUuid) {
            uuidRight &= uuidLength < UUID_LENGTH && take(b, uuidLength);
            uuidLength++;
        } else if (b > ' ' || strayText) {
            text(b);
        }
    }

    private void text(int b) {
        strayText = true;
        if (b >= ' ' && excerpt.length() < MAX_EXCERPT) {
            excerpt.append((char) b);
        }
    }

    private void stray(String what) {
        stray = stray == null ? what : stray;
    }

    private void tagStart(int b) {
        if (b == '?') {
            mode = Mode.INSTRUCTION;
        } else if (b == '!') {
            mode = Mode.DECLARATION;
        } else if (b == '/') {
            closing = true;
            mode = Mode.NAME;
        } else {
            mode = Mode.NAME;
            name(b);
        }
    }

    private void name(int b) {
        if (b == '>') {
            tagEnd(last == '/');
        } else if (b == '/' || b <= ' ') {
            mode = Mode.IN_TAG;
        } else if (nameLength < MAX_NAME) {
            name[nameLength++] = (byte) b;
        }
    }

    private void tagEnd(boolean empty) {
        mode = Mode.CONTENT;
        if (closing) {
            close();
        } else {
            open(empty);
            depth += empty ? 0 : 1;
        }
        complete |= depth == 0;
    }

    private void open(boolean empty) {
        if (depth == 0 && root == null) {
            root = isNamed("response") ? "response" : name();
        } else if (depth != 1 || !isNamed("uuid")) {
            stray("<" + name() + ">");
        } else if (!empty) {
            inUuid = true;
            uuidLength = 0;
            uuidRight = true;
        }
    }

    private void close() {
        if (depth == 0 || !isNamed(inUuid ? "uuid" : String.valueOf(root))) {
            stray("</" + name() + ">");
        }
        depth = Math.max(0, depth - 1);
        if (inUuid) {
            endUuid();
        }
    }

    private String name() {
        return new String(name, 0, nameLength, StandardCharsets.UTF_8);
    }

    private void endUuid() {
        inUuid = false;
        if (uuidRight && uuidLength == UUID_LENGTH) {
            uuids++;
            answered.add(high, low);
        } else {
            badUuids++;
        }
    }

    private boolean isNamed(String expectedName) {
        if (nameLength != expectedName.length()) {
            return false;
        }
        for (int i = 0; i < nameLength; i++) {
            if (name[i] != expectedName.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** Takes a whole UUID. Returns false if there is none at this place; then what was taken means nothing. */
    private boolean isUuid(byte[] bytes, int offset) {
        boolean right = true;
        for (int i = 0; i < UUID_LENGTH; i++) {
            right &= take(bytes[offset + i] & 0xff, i);
        }
        return right;
    }

    /** Takes a character of a UUID. Returns whether it may stand at this place (RFC 9562 section 4). */
    private boolean take(int b, int place) {
        if (place == 8 || place == 13 || place == 18 || place == 23) {
            return b == '-';
        }
        // Each half has 16 digits, which push out those of the UUID before.
        int digit = DIGITS[b];
        if (place < LOW_HALF) {
            high = (high << DIGIT_BITS) | digit;
        } else {
            low = (low << DIGIT_BITS) | digit;
        }
        return digit >= 0;
    }

    @Override
    public @Nullable Failure end() {
        if (headFailure != null) {
            return excerpt.isEmpty()
                    ? headFailure
                    : new Failure(headFailure.kind(), headFailure.detail() + ": " + excerpt);
        }
        if (root == null) {
            return wrong("no element in the answer");
        }
        if (!root.equals("response")) {
            return wrong("root element <" + root + ">: " + excerpt);
        }
        if (stray != null) {
            return wrong(stray + " where it does not belong" + (strayText ? ": " + excerpt : ""));
        }
        if (strayText) {
            return wrong("text outside the UUIDs: " + excerpt);
        }
        if (!complete || mode != Mode.CONTENT) {
            return wrong(complete ? "a tag without end" : "root element not closed");
        }
        if (badUuids > 0) {
            return wrong(badUuids + " UUIDs malformed");
        }
        if (uuids != expected) {
            return wrong("expected " + expected + " UUIDs, got " + uuids);
        }
        String fault = answered.fault();
        return fault == null ? null : wrong(fault);
    }

    private static Failure wrong(String detail) {
        return new Failure(FailureKind.WRONG_CONTENT, detail);
    }
}
