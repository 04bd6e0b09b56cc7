package dev.millrace.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** {@code GET /hello}: 13 bytes of text, the smallest request that is worth measuring. */
public final class HelloServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final byte[] BODY = "Hello, World!".getBytes(StandardCharsets.US_ASCII);

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain;charset=utf-8");
        response.setContentLength(BODY.length);
        response.getOutputStream().write(BODY);
    }
}
