package dev.millrace.transfer;

import java.io.IOException;
import org.eclipse.jetty.io.QuietException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file failed while a response sent it. When a part of what the response promised has left, the connection must be closed.
 * The code that ends the response logs it; Jetty need not.
 */
public abstract class FileFailedException extends IOException implements QuietException {
    private static final Logger LOG = LoggerFactory.getLogger(FileFailedException.class);
    private static final long serialVersionUID = 1L;

    /** For those of this package: truncated, written over, unreadable. */
    FileFailedException(String message) {
        super(message);
    }

    /** @param ended what ends for this: a response, or an end point with its peer. Logged by the code that ends it, once */
    public void log(Object ended) {
        LOG.warn("Aborting {}: {}", ended, getMessage());
    }
}
