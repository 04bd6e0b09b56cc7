package dev.millrace.webapp.server;

/** The command line is wrong. The message is one line for the user. */
final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
