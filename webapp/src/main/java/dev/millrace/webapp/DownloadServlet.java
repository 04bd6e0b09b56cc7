package dev.millrace.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code GET /download?name=…}: a file of the catalogue as an attachment. Where the server supports X-Sendfile, the
 * servlet's thread is free at once, even if the client reads slowly.
 */
public final class DownloadServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String name = request.getParameter("name");
        if (name == null || name.isEmpty()) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, "parameter name is missing");
            return;
        }
        Optional<Path> file = FileRoot.of(getServletContext()).find(name);
        if (file.isEmpty()) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        // RFC 8187 encodes any name. A plain filename parameter would need a lossy ASCII copy of it.
        String encoded = URLEncoder.encode(file.get().getFileName().toString(), StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A");
        response.setHeader("Content-Disposition", "attachment; filename*=UTF-8''" + encoded);
        FileSender.ofDownloads(getServletContext()).send(file.get(), request, response);
    }
}
