package dev.millrace.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** {@code GET /files/catalog.json}: the catalogue of the files under {@code /files/}. */
public final class CatalogServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private transient Catalog catalog;

    @Override
    public void init() {
        catalog = new Catalog(FileRoot.of(getServletContext()).path());
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] body = catalog.json().getBytes(StandardCharsets.UTF_8);
        response.setContentType("application/json");
        response.setHeader("Cache-Control", "no-cache");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
