package dev.millrace.webapp;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * {@code GET /message?bytes=N}: N letters, from a to z repeatedly, in one write from one array on the heap. It measures
 * how a connector writes content from memory. N is at most 64 MiB.
 */
public final class MessageServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final int MAX_BYTES = 64 << 20;
    private static final int LETTERS = 26;

    // All responses share the array, which nobody changes after it is assigned.
    private transient volatile byte[] content = new byte[0];

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int bytes = bytes(request.getParameter("bytes"));
        if (bytes < 0) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, "bytes must be a number from 0 to " + MAX_BYTES);
            return;
        }
        response.setContentType("text/plain;charset=utf-8");
        response.setContentLength(bytes);
        // The buffer must hold the message, because a container splits a write into pieces of its buffer.
        response.setBufferSize(Math.max(bytes, response.getBufferSize()));
        response.getOutputStream().write(content(bytes), 0, bytes);
    }

    private static int bytes(String text) {
        try {
            int bytes = Integer.parseInt(text);
            return bytes <= MAX_BYTES ? bytes : -1;
        } catch (NumberFormatException ignored) {
            // The response is the same as for a number out of range.
            return -1;
        }
    }

    private byte[] content(int bytes) {
        byte[] known = content;
        if (known.length < bytes) {
            known = new byte[bytes];
            for (int i = 0; i < bytes; i++) {
                known[i] = (byte) ('a' + i % LETTERS);
            }
            content = known;
        }
        return known;
    }
}
