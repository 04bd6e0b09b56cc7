package dev.millrace.files;

import java.io.EOFException;

/** A file has become shorter than it was when it was opened. */
final class ShortFileException extends EOFException {
    private static final long serialVersionUID = 1L;

    ShortFileException(String message) {
        super(message);
    }
}
