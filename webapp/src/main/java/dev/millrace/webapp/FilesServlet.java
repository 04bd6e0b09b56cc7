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
 * {@code GET /files/*} where the server does not map a servlet of its own: GET and HEAD, conditional requests, single
 * ranges. Files go by sendfile where the server supports it, and are streamed elsewhere.
 */
public final class FilesServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private transient FileRoot root;
    private transient FileSender sender;

    @Override
    public void init() {
        root = FileRoot.of(getServletContext());
        sender = new FileSender(getServletContext());
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String name = request.getPathInfo();
        ServletContext context = getServletContext();
        Optional<Path> file = name == null ? Optional.empty() : root.find(name);
        if (file.isEmpty()) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        } else if (ContainerFileServlet.isAvailable(context)) {
            ContainerFileServlet.send(
                    request, response, Files.getLastModifiedTime(file.get()).toMillis());
        } else {
            sender.send(file.get(), request, response);
        }
    }
}
