package dev.millrace.uuid;

/**
 * The content of a response without UUIDs. Immutable.
 *
 * @param message one sentence that is safe to show: printable ASCII, without internals of the server
 * @param line the line of the request document, from 1, or 0 when there is none
 * @param column the column in that line, from 1, or 0 when there is none
 */
record Refusal(RefusalReason reason, String message, int line, int column) {
    boolean hasLocation() {
        return line > 0;
    }
}
