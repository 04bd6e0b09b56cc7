package dev.millrace.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

/** {@code GET /stats}: live figures as JSON. */
public final class StatsServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private transient Figures figures;

    @Override
    public void init() {
        figures = new Figures(getServletContext());
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] body = Json.of(figures.now()).getBytes(StandardCharsets.UTF_8);
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-store");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
