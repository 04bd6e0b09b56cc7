package dev.millrace.load.http;

import java.io.IOException;

/** The peer sent something that is not an HTTP/1.x answer (RFC 9112). */
final class MalformedAnswerException extends IOException {

    private static final long serialVersionUID = 1L;

    MalformedAnswerException(String message, Throwable cause) {
        super(message, cause);
    }
}
