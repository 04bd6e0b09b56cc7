package dev.millrace.transfer;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The system cannot read what a response has already promised. */
public final class UnreadableFileException extends FileFailedException {
    private static final long serialVersionUID = 1L;

    /**
     * @param file its name, for the message; may be null
     * @param position where it cannot be read, in bytes
     * @param cause what the system said
     */
    public UnreadableFileException(@Nullable Object file, long position, IOException cause) {
        super("cannot read " + (file == null ? "file" : file) + " at " + position + ": " + cause);
        initCause(cause);
    }
}
