package dev.millrace.transfer;

import java.io.IOException;

/** A file has become shorter than the length that a response has already promised. The connection must be closed. */
public final class TruncatedFileException extends IOException {
    private static final long serialVersionUID = 1L;

    TruncatedFileException(Object file, long expectedBytes, long sizeBytes) {
        super((file == null ? "file" : file) + " was truncated: " + expectedBytes + " bytes expected, " + sizeBytes + " left");
    }
}
