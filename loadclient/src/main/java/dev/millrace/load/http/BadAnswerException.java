package dev.millrace.load.http;

import java.io.IOException;

/** The peer sent no answer, a part of one, or something else; the kind says which. */
final class BadAnswerException extends IOException {

    private static final long serialVersionUID = 1L;

    private final Fault fault;

    BadAnswerException(Fault fault, String message) {
        super(message);
        this.fault = fault;
    }

    Fault fault() {
        return fault;
    }
}
