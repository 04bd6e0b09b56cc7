package dev.millrace.files;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ContextResponse;

/**
 * The length that a servlet's response has promised. Jetty's file servlets write past the servlet's output, to the
 * response below it. At the end of each such request the servlet's channel finds that nothing went through its output.
 * It writes a message, makes an exception with its stack trace, and aborts a response that is complete. That takes an
 * eighth of a small file's CPU.
 */
final class ServletLength {
    private ServletLength() {}

    /** Moves the promise from the servlet's response to the one below it, which sees the content. */
    static void moveBelow(Content.Sink sink) {
        ContextResponse context =
                sink instanceof Response response ? Response.as(response, ContextResponse.class) : null;
        if (context == null || context.isCommitted()) {
            return;
        }
        HttpFields.Mutable ofServlet = context.getHeaders();
        HttpFields.Mutable below = context.getWrapped().getHeaders();
        HttpField length = ofServlet == below ? null : ofServlet.getField(HttpHeader.CONTENT_LENGTH);
        if (length != null) {
            ofServlet.remove(HttpHeader.CONTENT_LENGTH);
            below.put(length);
        }
    }
}
