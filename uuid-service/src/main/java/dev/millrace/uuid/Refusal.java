package dev.millrace.uuid;

/**
 * What the peer is told instead of UUIDs.
 *
 * @param message one sentence that is safe to show: printable ASCII, nothing of the server's inside
 * @param line the line of the request document, from 1, or 0 when there is none
 * @param column the column in that line, from 1, or 0 when there is none
 */
record Refusal(Fault fault, String message, int line, int column) {
    boolean hasLocation() {
        return line > 0;
    }
}
