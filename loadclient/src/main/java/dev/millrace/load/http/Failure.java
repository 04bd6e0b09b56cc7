package dev.millrace.load.http;

/**
 * One failed exchange: its kind and what was seen.
 *
 * @param fault  the kind
 * @param detail one line for people, such as {@code expected 100 UUIDs, got 99}
 */
public record Failure(Fault fault, String detail) {

    private static final int MAX_DETAIL = 200;

    /** Keeps the detail to one line of bounded length: it may quote what a peer sent. */
    public Failure {
        detail = detail.replaceAll("\\p{Cntrl}+", " ").strip();
        if (detail.length() > MAX_DETAIL) {
            detail = detail.substring(0, MAX_DETAIL) + "...";
        }
    }
}
