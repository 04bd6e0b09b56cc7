package dev.millrace.spring;

import dev.millrace.xsendfile.XSendfileHandler;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import org.eclipse.jetty.ee11.servlet.ServletApiResponse;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.server.ServletServerHttpResponse;

/** Leaves the sending of a file to the {@link XSendfileHandler} around the application. */
final class LeftToServer {
    /**
     * A wrapper of Spring Security and Spring Session that sets fields before the commit, and passes content on as it
     * is.
     */
    private static final String ON_COMMITTED = "OnCommittedResponseWrapper";

    /** Whether a wrapper passes content on as it is, by its class. */
    private static final ClassValue<Boolean> ARE_PASSIVE = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> wrapper) {
            return isDeclaredByPassive(wrapper, "getOutputStream") && isDeclaredByPassive(wrapper, "getWriter");
        }
    };

    private LeftToServer() {}

    private static boolean isDeclaredByPassive(Class<?> wrapper, String method) {
        try {
            Class<?> declaring = wrapper.getMethod(method).getDeclaringClass();
            return declaring == ServletResponseWrapper.class
                    || declaring.getSimpleName().equals(ON_COMMITTED);
        } catch (NoSuchMethodException x) {
            throw new IllegalStateException(x);
        }
    }

    /**
     * Leaves a file to the server, if it can send it.
     *
     * @param message an answer with all its fields, of which nothing has been written
     * @return whether the server will send the file; if not, nothing has changed
     */
    static boolean leave(Resource resource, HttpOutputMessage message) throws IOException {
        if (!resource.isFile() || !(message instanceof ServletServerHttpResponse response)) {
            return false;
        }
        HttpServletResponse servlet = response.getServletResponse();
        ServletContextRequest request = servedRequest(servlet);
        if (request == null || !isAboutTheFile(servlet) || servlet.isCommitted()) {
            return false;
        }
        Path file = resource.getFile().toPath();
        if (file.getFileSystem() != FileSystems.getDefault()) {
            return false;
        }
        Path real = file.toRealPath();
        // The server finds out which ranges of the file to send.
        servlet.setStatus(HttpServletResponse.SC_OK);
        message.getHeaders().remove(HttpHeaders.CONTENT_LENGTH);
        // This writes the fields, and does not commit the response.
        response.close();
        request.setAttribute(XSendfileHandler.FILE_ATTRIBUTE, real);
        return true;
    }

    // An answer without the file's time tells no version, and the server's entity tag would tell one.
    private static boolean isAboutTheFile(HttpServletResponse response) {
        int status = response.getStatus();
        return (status == HttpServletResponse.SC_OK || status == HttpServletResponse.SC_PARTIAL_CONTENT)
                && response.containsHeader(HttpHeaders.LAST_MODIFIED);
    }

    /** The server's request; null when a wrapper reads or changes the content, or no such server is around. */
    private static @Nullable ServletContextRequest servedRequest(HttpServletResponse outermost) {
        ServletResponse response = outermost;
        while (response instanceof ServletResponseWrapper wrapper && ARE_PASSIVE.get(wrapper.getClass())) {
            response = wrapper.getResponse();
        }
        if (!(response instanceof ServletApiResponse api) || api.getClass() != ServletApiResponse.class) {
            return null;
        }
        ServletContextRequest request = api.getServletChannel().getServletContextRequest();
        boolean isAround = request.getServletContext().getAttribute(XSendfileHandler.CONTEXT_ATTRIBUTE) != null;
        return isAround && !request.getServletContextResponse().isWritingOrStreaming() ? request : null;
    }
}
