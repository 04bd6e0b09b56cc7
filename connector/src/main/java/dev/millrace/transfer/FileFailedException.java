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

    /** For the failures of this package: a file that is truncated, written over, or unreadable. */
    FileFailedException(String message) {
        super(message);
    }

    /**
     * Logs the failure as a warning. Called once, by the code that ends the response.
     *
     * @param ended what ends because of it: a response, or an end point with its peer
     */
    public void log(Object ended) {
        LOG.warn("Aborting {}: {}", ended, getMessage());
    }
}
