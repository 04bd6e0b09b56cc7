package dev.millrace.webapp;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An error in the terms of RFC 9457. Its type is {@code about:blank}: the status says what kind of problem it is.
 * Immutable.
 *
 * @param title the reason phrase of the status (RFC 9110 section 15)
 * @param detail one sentence for people, or empty
 */
record Problem(int status, String title, String detail) {

    /**
     * The problem that a status stands for.
     *
     * @param message what was sent with the status, or empty; a reason phrase counts as empty, because containers send
     *     it where there is no message
     */
    static Problem of(int status, String message) {
        String title = title(status);
        // The message of a container quotes the address, which is the client's.
        String detail =
                status == 404 ? "Nothing is served at this address." : message.equalsIgnoreCase(title) ? "" : message;
        return new Problem(status, title, detail);
    }

    private static String title(int status) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 408 -> "Request Timeout";
            case 411 -> "Length Required";
            case 412 -> "Precondition Failed";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 415 -> "Unsupported Media Type";
            case 416 -> "Range Not Satisfiable";
            case 417 -> "Expectation Failed";
            case 426 -> "Upgrade Required";
            case 431 -> "Request Header Fields Too Large";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 503 -> "Service Unavailable";
            case 505 -> "HTTP Version Not Supported";
            default -> "Error";
        };
    }

    /** The members in the order of RFC 9457, ready for JSON; those that say nothing are left out. */
    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("title", title);
        members.put("status", status);
        if (!detail.isEmpty()) {
            members.put("detail", detail);
        }
        return members;
    }
}
