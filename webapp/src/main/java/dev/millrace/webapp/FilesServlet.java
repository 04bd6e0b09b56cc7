package dev.millrace.webapp;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * {@code GET /files/*} where the server brings no servlet for it: GET and HEAD, conditional requests, single ranges. By
 * the kernel where the server can do that, streamed everywhere else.
 */
public final class FilesServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private transient FileRoot root;
    private transient Delivery delivery;

    @Override
    public void init() {
        root = Application.fileRoot(getServletContext());
        delivery = new Delivery(getServletContext());
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws ServletException, IOException {
        String name = request.getPathInfo();
        ServletContext context = getServletContext();
        Optional<Path> file = name == null ? Optional.empty() : root.find(name);
        if (file.isEmpty()) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        } else if (ServersFiles.areThere(context)) {
            ServersFiles.send(request, response, Files.getLastModifiedTime(file.get()).toMillis());
        } else {
            delivery.send(file.get(), request, response);
        }
    }
}
