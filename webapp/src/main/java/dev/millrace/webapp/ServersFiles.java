package dev.millrace.webapp;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

/**
 * Files by the server's own servlet for files, where that sends by the kernel: Jetty with module
 * {@code millrace-files}. The servlet has no address; {@link FilesServlet} forwards what it has checked.
 */
final class ServersFiles {
    private static final String NAME = "files-by-server";
    private static final String JETTY = "org.eclipse.jetty.";

    private ServersFiles() {
    }

    /** Adds the servlet on servers whose parameters we know; it is not made before it is asked for something. */
    static void register(ServletContext context) {
        ServletRegistration standard = context.getServletRegistration("default");
        if (standard == null || !standard.getClassName().startsWith(JETTY)) {
            return;
        }
        ServletRegistration.Dynamic files = context.addServlet(NAME, standard.getClassName());
        files.setInitParameters(Map.of("baseResource", Application.fileRoot(context).path().toUri().toString(),
            "dirAllowed", "false", "etags", "true", "pathInfoOnly", "true", "precompressed", "false"));
        files.setAsyncSupported(true);
    }

    /** Asked for each request: the module may come, and the context be told of it, after this application. */
    static boolean areThere(ServletContext context) {
        return Boolean.TRUE.equals(context.getAttribute(Attributes.SENDFILE))
            && context.getServletRegistration(NAME) != null;
    }

    /**
     * Has a file sent.
     *
     * @param modifiedMillis when the file was changed last
     */
    static void send(HttpServletRequest request, HttpServletResponse response, long modifiedMillis)
        throws ServletException, IOException {
        RequestDispatcher servlet = request.getServletContext().getNamedDispatcher(NAME);
        servlet.forward(wantsPart(request, modifiedMillis) ? request : new Whole(request), response);
    }

    /** Jetty's servlet knows no If-Range, and sends as many ranges as it is asked for. */
    private static boolean wantsPart(HttpServletRequest request, long modifiedMillis) {
        String range = request.getHeader("Range");
        if (range == null || range.indexOf(',') >= 0 || request.getHeader("If-Range") == null) {
            return range != null && range.indexOf(',') < 0;
        }
        try {
            return request.getDateHeader("If-Range") == modifiedMillis / 1000 * 1000;
        } catch (IllegalArgumentException ignored) {
            // An entity tag. Jetty's are weak, and a weak one names no version (RFC 9110, 13.1.5).
            return false;
        }
    }

    private static final class Whole extends HttpServletRequestWrapper {
        Whole(HttpServletRequest request) {
            super(request);
        }

        @Override
        public String getHeader(String name) {
            return "Range".equalsIgnoreCase(name) ? null : super.getHeader(name);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            return "Range".equalsIgnoreCase(name) ? Collections.emptyEnumeration() : super.getHeaders(name);
        }

        @Override
        public Enumeration<String> getHeaderNames() {
            List<String> names = Collections.list(super.getHeaderNames());
            names.removeIf("Range"::equalsIgnoreCase);
            return Collections.enumeration(names);
        }
    }
}
