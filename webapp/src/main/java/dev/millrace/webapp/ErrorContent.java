package dev.millrace.webapp;

import java.util.Enumeration;

/**
 * What is sent with an error: a page, or problem details (RFC 9457) in JSON or XML, or text. Immutable.
 *
 * @param type the value of the Content-Type field
 * @param text the content, to be sent in UTF-8
 */
public record ErrorContent(String type, String text) {

    /**
     * Explains an error in the form that the client asks for.
     *
     * @param status the status code of the response
     * @param message one sentence for people, which may be shown, or empty; a reason phrase counts as empty
     * @param acceptFields the request's Accept fields (RFC 9110 section 12.5.1)
     * @param contextPath of the application, whose style a page has; empty for the root
     */
    public static ErrorContent of(int status, String message, Enumeration<String> acceptFields, String contextPath) {
        ErrorFormat format = ErrorFormat.negotiate(acceptFields);
        return new ErrorContent(format.contentType(), format.write(Problem.of(status, message), contextPath));
    }
}
