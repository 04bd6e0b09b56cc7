package dev.millrace.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * {@code GET /stats}: live figures as JSON; with {@code Accept: text/event-stream}, the same once a second as
 * server-sent events, for as long as the client stays.
 */
public final class StatsServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private transient Figures figures;
    private transient StatsStreams streams;

    @Override
    public void init() {
        figures = new Figures(getServletContext());
        streams = new StatsStreams(figures, getServletContext());
    }

    @Override
    public void destroy() {
        streams.close();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("Vary", "Accept");
        String accept = request.getHeader("Accept");
        if (accept != null && accept.contains("text/event-stream")) {
            // A client that is turned away asks for the JSON instead, which holds no connection.
            if (!streams.open(request, response)) {
                response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "too many event streams");
            }
            return;
        }
        byte[] body = Json.of(figures.now()).getBytes(StandardCharsets.UTF_8);
        response.setContentType("application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
