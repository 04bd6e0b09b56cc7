package dev.millrace.load.cli;

import java.util.function.Supplier;
import picocli.CommandLine.TypeConversionException;

/** The command line is wrong. The message is one line for the user; {@link Main} adds the command's name. */
final class UsageException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }

    UsageException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Throws unless the condition holds. */
    static void require(boolean condition, String message) {
        if (!condition) {
            throw new UsageException(message);
        }
    }

    /** The result of a parser. If it rejects the user's text, its message follows the prefix. */
    static <T> T parse(String prefix, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (IllegalArgumentException | TypeConversionException e) {
            throw new UsageException(prefix + e.getMessage(), e);
        }
    }
}
