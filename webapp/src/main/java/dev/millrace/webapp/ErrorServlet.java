package dev.millrace.webapp;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The content of each error that the container or a servlet sends. By the request's Accept field it is a page, or
 * problem details (RFC 9457) in JSON or XML. Only the container may call it: a client gets 404.
 */
public final class ErrorServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** All methods: the container forwards the request that failed as it is. */
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getDispatcherType() != DispatcherType.ERROR) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        // Jetty does not name the status of a range that its file servlet cannot satisfy, but has set it.
        int status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer named
                ? named
                : response.getStatus();
        // The message of an exception may tell of the server's internals.
        String message = request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) == null
                        && request.getAttribute(RequestDispatcher.ERROR_MESSAGE) instanceof String given
                ? given
                : "";
        ErrorContent content = ErrorContent.of(status, message, request.getHeaders("Accept"), request.getContextPath());
        if (status == HttpServletResponse.SC_METHOD_NOT_ALLOWED) {
            // RFC 9110 section 15.5.6. The UUID service, which allows more, explains its errors itself.
            response.setHeader("Allow", AllowedMethods.ALLOWED);
        }
        byte[] body = content.text().getBytes(StandardCharsets.UTF_8);
        response.setContentType(content.type());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Vary", "Accept");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
