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
 * {@code GET /download?name=…}: a file of the catalogue as an attachment. By X-Sendfile where the server knows it: then
 * this servlet's thread is free at once, however slowly the client takes the file.
 */
public final class DownloadServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private transient FileRoot root;
    private transient Delivery delivery;

    @Override
    public void init() {
        root = Application.fileRoot(getServletContext());
        delivery = Application.downloads(getServletContext());
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String name = request.getParameter("name");
        if (name == null || name.isEmpty()) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, "parameter name is missing");
            return;
        }
        Optional<Path> file = root.find(name);
        if (file.isEmpty()) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        // RFC 8187 carries any name; a plain filename parameter would need a lossy ASCII copy of it.
        String encoded = URLEncoder.encode(file.get().getFileName().toString(), StandardCharsets.UTF_8)
            .replace("+", "%20").replace("*", "%2A");
        response.setHeader("Content-Disposition", "attachment; filename*=UTF-8''" + encoded);
        delivery.send(file.get(), request, response);
    }
}
