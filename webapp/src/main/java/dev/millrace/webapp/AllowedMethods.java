package dev.millrace.webapp;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;

/**
 * Names the methods that resources allow, where a request has another one (RFC 9110 section 15.5.6). {@link
 * ErrorServlet} does so too, but unless the server says otherwise, Jetty calls it for GET, HEAD and POST only.
 * Stateless.
 */
final class AllowedMethods implements Filter {
    /** The methods of all resources except the UUID service, which names its own. */
    static final String ALLOWED = "GET, HEAD, OPTIONS";

    private static final Set<String> LEFT_TO_SERVLETS = Set.of("GET", "HEAD", "POST", "OPTIONS");

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!LEFT_TO_SERVLETS.contains(((HttpServletRequest) request).getMethod())) {
            ((HttpServletResponse) response).setHeader("Allow", ALLOWED);
        }
        chain.doFilter(request, response);
    }
}
