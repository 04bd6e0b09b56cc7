package dev.millrace.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * {@code GET /stats}: live figures as JSON. With {@code Accept: text/event-stream}, a server-sent event carries them
 * once a second.
 */
public final class StatsServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private transient ServerStats stats;
    private transient StatsStreams streams;

    @Override
    public void init() {
        stats = new ServerStats(getServletContext());
        streams = new StatsStreams(stats, getServletContext());
        getServletContext().setAttribute(ContextAttributes.END_STREAMS, (Supplier<CompletableFuture<?>>) streams::end);
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
            if (request.getMethod().equals("HEAD")) {
                // Nothing is written to it: its stream would not end with its connection.
                response.setContentType(StatsStreams.CONTENT_TYPE);
                return;
            }
            // After a 503 the page asks for JSON instead, which holds no connection.
            if (!streams.open(request, response)) {
                response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE, "too many event streams");
            }
            return;
        }
        byte[] body = Json.of(stats.now()).getBytes(StandardCharsets.UTF_8);
        response.setContentType("application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
