package dev.millrace.load.http;

import java.io.IOException;

/** The server sent no answer, a part of one, or bytes that are none; the kind tells which. */
final class BadResponseException extends IOException {

    private static final long serialVersionUID = 1L;

    private final FailureKind kind;

    BadResponseException(FailureKind kind, String message) {
        super(message);
        this.kind = kind;
    }

    FailureKind kind() {
        return kind;
    }
}
