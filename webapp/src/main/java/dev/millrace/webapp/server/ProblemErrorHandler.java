package dev.millrace.webapp.server;

import dev.millrace.webapp.ErrorContent;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The errors that no application sees, such as an address that cannot be one, in the form of the application's own.
 * Thread-safe.
 */
final class ProblemErrorHandler extends ErrorHandler {
    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int code,
            String message,
            @Nullable Throwable cause,
            Callback callback) {
        // The message of an exception may tell of the server's internals.
        ErrorContent content = ErrorContent.of(
                code, cause == null ? message : "", request.getHeaders().getValues(HttpHeader.ACCEPT.asString()), "");
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, content.type());
        response.getHeaders().put(HttpHeader.VARY, HttpHeader.ACCEPT.asString());
        Content.Sink.write(response, true, content.text(), callback);
    }
}
