package dev.millrace.peers;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Answers as the sample application's {@code /hello} does. */
final class HelloServlet extends HttpServlet {
    static final String CONTENT_TYPE = "text/plain;charset=utf-8";
    private static final long serialVersionUID = 1L;
    private static final byte[] BODY = body();

    static byte[] body() {
        return "Hello, World!".getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType(CONTENT_TYPE);
        response.setContentLength(BODY.length);
        response.getOutputStream().write(BODY);
    }
}
