package dev.millrace.transfer;

import java.io.IOException;

/** A file has been written over while a response sent it, which may have sent parts of both. The connection must be closed. */
public final class OverwrittenFileException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param file its name, for the message */
    public OverwrittenFileException(Object file) {
        super(file + " was written over while it was sent");
    }
}
