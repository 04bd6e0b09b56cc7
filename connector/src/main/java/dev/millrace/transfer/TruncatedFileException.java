package dev.millrace.transfer;

import org.jspecify.annotations.Nullable;

/** A file has become shorter than the length that a response promises. */
public final class TruncatedFileException extends FileFailedException {
    private static final long serialVersionUID = 1L;

    /**
     * @param file its name, for the message; may be null
     * @param expectedBytes where the promised part ends in the file
     * @param sizeBytes the length of the file now
     */
    public TruncatedFileException(@Nullable Object file, long expectedBytes, long sizeBytes) {
        super((file == null ? "file" : file) + " was truncated: " + expectedBytes + " bytes expected, " + sizeBytes
                + " left");
    }
}
