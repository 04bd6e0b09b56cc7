package dev.millrace.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** A servlet that names files in its responses, for the WARs that tests deploy. It knows no class of this project. */
public final class NamingServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader(request.getParameter("field"), request.getParameter("value"));
        response.setHeader("X-Download-Id", "number 7");
        response.setHeader("Cache-Control", "private");
        response.setContentType(request.getParameter("type"));
        response.getWriter().print("the body of the application");
    }
}
