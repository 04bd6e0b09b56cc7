package dev.millrace.spring;

import org.jspecify.annotations.Nullable;

/** What is configured cannot be; says what to change. {@link MillraceFailureAnalyzer} shows both. */
final class MillraceConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * @param description what is wrong
     * @param action what mends it
     * @param cause null when nothing has thrown it
     */
    MillraceConfigurationException(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
