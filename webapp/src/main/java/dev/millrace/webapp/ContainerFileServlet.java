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
import org.jspecify.annotations.Nullable;

/**
 * Sends files by the container's own file servlet, where that uses sendfile: Jetty with module {@code millrace-files}.
 * The servlet has no mapping, and {@link FilesServlet} forwards requests to it after its checks. Stateless.
 */
final class ContainerFileServlet {
    private static final String NAME = "files-by-server";
    private static final String JETTY = "org.eclipse.jetty.";

    private ContainerFileServlet() {}

    /** Adds the servlet in Jetty, whose parameters are known. Jetty creates it with its first request. */
    static void register(ServletContext context) {
        ServletRegistration standard = context.getServletRegistration("default");
        if (standard == null || !standard.getClassName().startsWith(JETTY)) {
            return;
        }
        ServletRegistration.Dynamic files = context.addServlet(NAME, standard.getClassName());
        files.setInitParameters(Map.of(
                "baseResource",
                FileRoot.of(context).path().toUri().toString(),
                "dirAllowed",
                "false",
                "etags",
                "true",
                "pathInfoOnly",
                "true",
                "precompressed",
                "false"));
        files.setAsyncSupported(true);
    }

    /** Whether the servlet uses sendfile. Each request asks, because the module may start after this application. */
    static boolean isAvailable(ServletContext context) {
        return Boolean.TRUE.equals(context.getAttribute(ContextAttributes.SENDFILE))
                && context.getServletRegistration(NAME) != null;
    }

    /**
     * Forwards a request to the servlet.
     *
     * @param modifiedMillis time of the file's last change
     */
    static void send(HttpServletRequest request, HttpServletResponse response, long modifiedMillis)
            throws ServletException, IOException {
        RequestDispatcher servlet = request.getServletContext().getNamedDispatcher(NAME);
        servlet.forward(mayGetRange(request, modifiedMillis) ? request : new WithoutRange(request), response);
    }

    /** Whether to send a range. Jetty's servlet ignores If-Range, and would also send several ranges. */
    private static boolean mayGetRange(HttpServletRequest request, long modifiedMillis) {
        String range = ByteRange.field(request);
        if (range == null || range.indexOf(',') >= 0 || request.getHeader("If-Range") == null) {
            return range != null && range.indexOf(',') < 0;
        }
        // Jetty's entity tags are weak, and If-Range must not have such (RFC 9110 section 13.1.5).
        return ByteRange.isForDate(request, modifiedMillis);
    }

    private static final class WithoutRange extends HttpServletRequestWrapper {
        WithoutRange(HttpServletRequest request) {
            super(request);
        }

        @Override
        public @Nullable String getHeader(String name) {
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
