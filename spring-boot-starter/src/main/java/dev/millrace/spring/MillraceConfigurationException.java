package dev.millrace.spring;

import org.jspecify.annotations.Nullable;

/**
 * A configuration cannot work. It tells what is wrong and what to change, which {@link MillraceFailureAnalyzer} shows.
 */
final class MillraceConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * A fault of the configuration.
     *
     * @param description what is wrong
     * @param action what to do about it
     * @param cause null when there is none
     */
    MillraceConfigurationException(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
