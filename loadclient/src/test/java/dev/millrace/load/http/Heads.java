package dev.millrace.load.http;

import java.nio.charset.StandardCharsets;

/** Makes heads of answers for tests of checks, which need no connection then. */
public final class Heads {

    private Heads() {}

    /** A head with these fields, {@code Name: value} each. */
    public static ResponseHead of(int status, String... fields) {
        return buffered(status, fields);
    }

    static BufferedHead buffered(int status, String... fields) {
        BufferedHead head = new BufferedHead();
        head.begin(String.join("", fields).getBytes(StandardCharsets.ISO_8859_1), status);
        int start = 0;
        for (String field : fields) {
            int colon = field.indexOf(':');
            head.add(start, start + colon, start + colon + 1, start + field.length());
            start += field.length();
        }
        return head;
    }
}
