package dev.millrace.uuid;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Reads one batch from query parameters, and whether the response is to be indented. Stateless. */
final class QueryReader {
    private QueryReader() {}

    /**
     * Adds the batch of the parameters {@code method, count, name, namespace} and {@code digest}.
     *
     * @throws RefusedException when the query cannot be parsed, or a parameter is wrong
     */
    static void read(HttpServletRequest request, UuidRequest uuidRequest) throws RefusedException {
        uuidRequest.add(Batch.parse(
                parameter(request, "method"),
                parameter(request, "count"),
                parameter(request, "name"),
                parameter(request, "namespace"),
                parameter(request, "digest")));
    }

    private static @Nullable String parameter(HttpServletRequest request, String name) throws RefusedException {
        String[] values;
        try {
            values = request.getParameterValues(name);
        } catch (RuntimeException e) {
            // The container chooses the type: IllegalStateException from servlet 6.1 on, before that one of its own.
            throw new RefusedException(RefusalReason.MALFORMED_QUERY, "the query cannot be decoded");
        }
        if (values == null) {
            return null;
        }
        if (values.length > 1) {
            throw new RefusedException(RefusalReason.MALFORMED_QUERY, "parameter " + name + " is given more than once");
        }
        return values[0];
    }

    /**
     * Whether {@code indent} or {@code indent=true} is part of a query string. The query string is searched, because
     * some containers read the body of a POST to find parameters.
     *
     * @param query the raw query string, or null
     */
    static boolean wantsIndentation(@Nullable String query) {
        if (query == null) {
            return false;
        }
        for (String parameter : query.split("&")) {
            if (parameter.equals("indent") || parameter.equals("indent=true")) {
                return true;
            }
        }
        return false;
    }
}
