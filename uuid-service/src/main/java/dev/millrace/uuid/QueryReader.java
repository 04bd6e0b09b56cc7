package dev.millrace.uuid;

import jakarta.servlet.http.HttpServletRequest;

/** Reads one batch from query parameters, and the wish for an indented answer. */
final class QueryReader {
    private QueryReader() {
    }

    /**
     * Adds the batch that {@code method, count, name, namespace} and {@code digest} describe.
     *
     * @throws RefusedException when the query cannot be parsed, or asks for what is wrong
     */
    static void read(HttpServletRequest request, Order order) throws RefusedException {
        order.add(Batch.parse(parameter(request, "method"), parameter(request, "count"), parameter(request, "name"),
            parameter(request, "namespace"), parameter(request, "digest")));
    }

    private static String parameter(HttpServletRequest request, String name) throws RefusedException {
        String[] values;
        try {
            values = request.getParameterValues(name);
        } catch (RuntimeException e) {
            // Which one is the container's choice: IllegalStateException from servlet 6.1 on, before that its own.
            throw new RefusedException(Fault.MALFORMED_QUERY, "the query cannot be decoded");
        }
        if (values == null) {
            return null;
        }
        if (values.length > 1) {
            throw new RefusedException(Fault.MALFORMED_QUERY, "parameter " + name + " is given more than once");
        }
        return values[0];
    }

    /**
     * Whether {@code indent} or {@code indent=true} is part of a query string. Looks there, not at the parameters,
     * because some containers read the body of a POST for those.
     *
     * @param query the raw query string, or null
     */
    static boolean wantsIndentation(String query) {
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
