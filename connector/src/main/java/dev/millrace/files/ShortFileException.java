package dev.millrace.files;

import java.io.EOFException;
import java.nio.file.Path;
import org.eclipse.jetty.io.QuietException;

/** A file has become shorter than it was when it was opened: who finds that says it in the log, and Jetty need not. */
final class ShortFileException extends EOFException implements QuietException {
    private static final long serialVersionUID = 1L;

    ShortFileException(Path file, long expectedBytes) {
        super(file + " has become shorter than its " + expectedBytes + " bytes");
    }
}
