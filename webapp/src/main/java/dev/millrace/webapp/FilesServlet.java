package dev.millrace.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** {@code GET /files/*} in containers that know no sendfile: GET and HEAD, conditional requests, single ranges. */
public final class FilesServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private transient FileRoot root;

    @Override
    public void init() {
        root = Application.fileRoot(getServletContext());
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String name = request.getPathInfo();
        Optional<Path> file = name == null ? Optional.empty() : root.find(name);
        if (file.isEmpty()) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        } else {
            FileResponse.send(file.get(), request, response);
        }
    }
}
