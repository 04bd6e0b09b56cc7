package dev.millrace.uuid;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Enumeration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one batch from query parameters, and whether the response is to be indented. Stateless. */
final class QueryReader {
    private static final String INDENT = "indent";
    private static final Set<String> PARAMETERS = Set.of("method", "count", "name", "namespace", "digest", INDENT);
    private static final String[] NONE = {};

    private QueryReader() {}

    /**
     * Adds the batch of the parameters {@code method, count, name, namespace} and {@code digest}.
     *
     * @throws RefusedException when the query cannot be parsed, or a parameter is wrong or unknown
     */
    static void read(HttpServletRequest request, UuidRequest uuidRequest) throws RefusedException {
        for (Enumeration<String> names = names(request); names.hasMoreElements(); ) {
            String name = names.nextElement();
            if (!PARAMETERS.contains(name)) {
                throw unknown(name);
            }
        }
        uuidRequest.add(Batch.parse(
                parameter(request, "method"),
                parameter(request, "count"),
                parameter(request, "name"),
                parameter(request, "namespace"),
                parameter(request, "digest")));
    }

    private static Enumeration<String> names(HttpServletRequest request) throws RefusedException {
        try {
            return request.getParameterNames();
        } catch (RuntimeException e) {
            // The container chooses the type: IllegalStateException from servlet 6.1 on, before that one of its own.
            throw new RefusedException(RefusalReason.MALFORMED_QUERY, "the query cannot be decoded");
        }
    }

    private static RefusedException unknown(String name) {
        return new RefusedException(
                RefusalReason.UNKNOWN_PARAMETER, "there is no parameter " + SafeText.quote(name) + " here");
    }

    private static @Nullable String parameter(HttpServletRequest request, String name) throws RefusedException {
        String[] values = request.getParameterValues(name);
        if (values == null) {
            return null;
        }
        if (values.length > 1) {
            throw new RefusedException(RefusalReason.MALFORMED_QUERY, "parameter " + name + " is given more than once");
        }
        return values[0];
    }

    /**
     * Checks the query of a request whose batches are in its body: {@code indent} is all that it may have.
     *
     * @param query the raw query string, or null
     * @throws RefusedException when there is another parameter
     */
    static void checkBesideBody(@Nullable String query) throws RefusedException {
        for (String parameter : parameters(query)) {
            String name = parameter.split("=", 2)[0];
            if (!parameter.isEmpty() && !name.equals(INDENT)) {
                throw unknown(name);
            }
        }
    }

    /**
     * Whether {@code indent} or {@code indent=true} is part of a query string. The query string is searched, because
     * some containers read the body of a POST to find parameters.
     *
     * @param query the raw query string, or null
     */
    static boolean wantsIndentation(@Nullable String query) {
        for (String parameter : parameters(query)) {
            if (parameter.equals(INDENT) || parameter.equals(INDENT + "=true")) {
                return true;
            }
        }
        return false;
    }

    private static String[] parameters(@Nullable String query) {
        return query == null ? NONE : query.split("&");
    }
}
