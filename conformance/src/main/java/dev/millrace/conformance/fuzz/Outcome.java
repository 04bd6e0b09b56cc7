package dev.millrace.conformance.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a client got on one connection: all bytes, in which parts that differ by right are made equal, and the end of
 * the connection. Immutable.
 *
 * @param answer in ISO 8859-1: a character is a byte
 */
record Outcome(String answer, End end) {
    private static final Pattern DATE =
            Pattern.compile("\r\nDate: [A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT\r\n");
    private static final Pattern BOUNDARY =
            Pattern.compile("multipart/byteranges; ?boundary=\"?([0-9A-Za-z]{20,40})\"?\r\n");

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3}) ");

    /** How the server's output ended. */
    enum End {
        /** The output was ended in order. */
        FIN,
        /** The connection was reset. */
        RESET,
        /** Nothing happened for so long that it counts as a fault. */
        STUCK
    }

    /**
     * An outcome in which some parts are replaced by others of the same length, which all outcomes share. These are the
     * time of the answer, the random boundaries of several ranges, and the server's port. Error pages show the port for
     * requests without a host.
     */
    static Outcome of(byte[] bytes, End end, int port) {
        String answer = new String(bytes, StandardCharsets.ISO_8859_1);
        answer = DATE.matcher(answer).replaceAll("\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
        answer = answer.replace(
                "127.0.0.1:" + port,
                "127.0.0.1:" + "P".repeat(Integer.toString(port).length()));
        List<String> boundaries =
                BOUNDARY.matcher(answer).results().map(found -> found.group(1)).toList();
        for (String boundary : boundaries) {
            answer = answer.replace(boundary, "B".repeat(boundary.length()));
        }
        return new Outcome(answer, end);
    }

    /** The status codes of the answers that have begun, those of interim ones too. */
    List<String> statuses() {
        return STATUS.matcher(answer).results().map(status -> status.group(1)).toList();
    }

    /** The status codes of the answers, and the end. */
    String summary() {
        return statuses() + " " + end;
    }

    /** How many answers have begun, interim ones left out. */
    int answers() {
        return (int)
                statuses().stream().filter(status -> !status.startsWith("1")).count();
    }

    @Override
    public String toString() {
        return end + " after " + answer.length() + " bytes: "
                + InputText.format(answer.getBytes(StandardCharsets.ISO_8859_1));
    }
}
