package dev.millrace.webapp.server;

import dev.millrace.transfer.TransferAlgorithm;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The options of the command line: name, default, meaning and valid values. */
enum Option {
    HOST("NAME", "127.0.0.1", "address that all listeners use", text()),
    BIO_PORT("PORT", "8080", "port of the blocking listener; 0 = any free one, -1 = off", integer(-1, 65535)),
    NIO_PORT("PORT", "8081", "port of the selector listener; 0 = any free one, -1 = off", integer(-1, 65535)),
    STOCK_PORT(
            "PORT",
            "-1",
            "port of Jetty's own listener, for comparison; 0 = any free one, -1 = off",
            integer(-1, 65535)),
    FILES("DIR", "", "folder served under /files/; without it, six generated files", folder()),
    THREADS(
            "KIND",
            "auto",
            "threads of BIO connections: platform, virtual, or auto (virtual on JDK 21 and newer)",
            threads()),
    POOL_THREADS("N", "200", "largest size of the server's thread pool", integer(8, 100_000)),
    SELECTORS("N", "0", "selectors of the NIO and stock listeners; 0 = Jetty's choice by cores", integer(0, 1024)),
    DISPATCH(
            "KIND",
            "adaptive",
            "where the NIO listener serves a ready connection: adaptive, selector or handoff",
            oneOf("adaptive", "selector", "handoff")),
    ALGORITHM(
            "NAME",
            "Adaptive",
            "how BIO and NIO share the turns of file transfers: Adaptive, SimpleBlocking, "
                    + "EqualNonBlocking or EqualBlocking",
            algorithm()),
    WORKERS("N", "50", "most file transfers that have their turn at once", integer(1, 10_000)),
    BUFFER_SIZE("BYTES", "262144", "bytes of a turn, for EqualBlocking", integer(1, 999_999_999)),
    CONTENT_CACHE(
            "BYTES",
            "4194304",
            "memory that BIO and NIO keep the contents of small files in; 0 = none",
            integer(0, Integer.MAX_VALUE)),
    WRITE_STRATEGY(
            "NAME",
            "gather",
            "how BIO and NIO write content from memory: gather, direct, chunk or adaptive-chunk",
            oneOf("gather", "direct", "chunk", "adaptive-chunk")),
    MAX_CONNECTIONS(
            "N",
            "0",
            "connections of each listener before it stops accepting; 0 = no limit",
            integer(0, Integer.MAX_VALUE)),
    ACCEPT_QUEUE_SIZE(
            "N",
            "0",
            "connections that the system keeps until they are accepted; 0 = BIO and NIO as many as it allows, stock Java's 50",
            integer(0, 65_535)),
    ACCESS_LOG("FILE", "", "append a line for each request: NCSA combined, local port, microseconds", file());

    /** Checks a value, and returns the error, if there is one. */
    interface Check {
        Optional<String> fault(String value);
    }

    final String placeholder;
    final String defaultValue;
    final String meaning;
    final Check check;

    Option(String placeholder, String defaultValue, String meaning, Check check) {
        this.placeholder = placeholder;
        this.defaultValue = defaultValue;
        this.meaning = meaning;
        this.check = check;
    }

    String flag() {
        return "--" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Optional<Option> byFlag(String flag) {
        for (Option option : values()) {
            if (option.flag().equals(flag)) {
                return Optional.of(option);
            }
        }
        return Optional.empty();
    }

    private static Check text() {
        return value -> value.isBlank() ? Optional.of("is empty") : Optional.empty();
    }

    private static Check integer(int min, int max) {
        return value -> {
            try {
                int number = Integer.parseInt(value);
                if (number >= min && number <= max) {
                    return Optional.empty();
                }
            } catch (NumberFormatException ignored) {
                // The message is the same as for a number out of range.
            }
            return Optional.of("is not a whole number from " + min + " to " + max);
        };
    }

    private static Check oneOf(String... names) {
        List<String> allowed = List.of(names);
        return value ->
                allowed.contains(value) ? Optional.empty() : Optional.of("is not one of " + String.join(", ", allowed));
    }

    private static Check algorithm() {
        return value -> {
            try {
                TransferAlgorithm.of(value);
                return Optional.empty();
            } catch (IllegalArgumentException e) {
                return Optional.of(
                        "is not one of Adaptive, SimpleBlocking, EqualNonBlocking, EqualBlocking, EqualBlocking(bytes)");
            }
        };
    }

    private static Check threads() {
        Check names = oneOf("platform", "virtual", "auto");
        return value -> value.equals("virtual") && Runtime.version().feature() < 21
                ? Optional.of("needs JDK 21 or newer")
                : names.fault(value);
    }

    private static Check file() {
        return value -> {
            try {
                Path path = Path.of(value).toAbsolutePath();
                Path parent = path.getParent();
                return !value.isEmpty() && !Files.isDirectory(path) && parent != null && Files.isDirectory(parent)
                        ? Optional.empty()
                        : Optional.of("is not a file in an existing folder");
            } catch (InvalidPathException e) {
                return Optional.of("is not a path");
            }
        };
    }

    private static Check folder() {
        return value -> {
            try {
                Path path = Path.of(value);
                return !value.isEmpty() && Files.isDirectory(path) && Files.isReadable(path)
                        ? Optional.empty()
                        : Optional.of("is not a readable folder");
            } catch (InvalidPathException e) {
                return Optional.of("is not a path");
            }
        };
    }
}
