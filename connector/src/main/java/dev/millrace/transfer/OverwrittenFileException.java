package dev.millrace.transfer;

/** A file has been written over while a response sent it: the response may have sent parts of both versions. */
public final class OverwrittenFileException extends FileFailedException {
    private static final long serialVersionUID = 1L;

    /** @param file its name, for the message */
    public OverwrittenFileException(Object file) {
        super(file + " was written over while it was sent");
    }
}
