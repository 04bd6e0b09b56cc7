package dev.millrace.testing;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Servlets of one method. */
public final class Servlets {
    private Servlets() {}

    /** What a servlet does with each request. */
    @FunctionalInterface
    public interface Serving {
        void serve(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException;
    }

    /** Serves each GET as told. */
    public static HttpServlet get(Serving serving) {
        return new HttpServlet() {
            private static final long serialVersionUID = 1L;

            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response)
                    throws ServletException, IOException {
                serving.serve(request, response);
            }
        };
    }
}
