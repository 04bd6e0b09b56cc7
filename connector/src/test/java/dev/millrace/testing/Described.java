package dev.millrace.testing;

import dev.millrace.testing.RawClient.Answer;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** Answers as texts that are the same for the same answer of another server: without what is of the moment, or a name of its own. */
public final class Described {
    private static final int MOST_CHARACTERS = 4000;

    private Described() {}

    /**
     * Asks, and tells the status, the header fields and the body of the answer.
     *
     * @param context what all paths begin with; named {@code /context} in the text
     * @param request method, path and at most one field, with a space between them; <code>{etag}</code> in it is the entity tag that
     *     a GET of the path says
     */
    public static String answer(RawClient client, String context, String request) throws IOException {
        String[] parts = request.split(" ", 3);
        String field = parts.length < 3 ? "" : parts[2] + "\r\n";
        if (field.contains("{etag}")) {
            field = field.replace(
                    "{etag}", etag(send(client, "GET", context + parts[1], "").answer()));
        }
        Answer answer = send(client, parts[0], context + parts[1], field).answer(parts[0]);
        return context.isEmpty() ? text(answer) : text(answer).replace(context, "/context");
    }

    private static RawClient send(RawClient client, String method, String path, String field) throws IOException {
        return client.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + field + "\r\n");
    }

    private static String etag(Answer answer) {
        return answer.headers().getOrDefault("ETag", "\"none\"");
    }

    private static String text(Answer answer) {
        Map<String, String> headers = new TreeMap<>(answer.headers());
        headers.remove("Date");
        headers.computeIfPresent("ETag", (name, tag) -> tag.replaceFirst("\"[^\"]*?(--[a-z]+)?\"", "\"tag$1\""));
        String body = answer.text();
        if (body.contains("table.listing")) {
            // Jetty's own style sheet is as old as the answer.
            headers.remove("Last-Modified");
        }
        String type = headers.getOrDefault("Content-Type", "");
        if (type.contains("boundary=")) {
            String boundary = type.substring(type.indexOf("boundary=") + 9);
            headers.put("Content-Type", type.replace(boundary, "boundary"));
            body = body.replace(boundary, "boundary");
        }
        return answer.status() + " " + headers + "\n"
                + (body.length() < MOST_CHARACTERS ? body : body.length() + " bytes, hash " + body.hashCode());
    }
}
