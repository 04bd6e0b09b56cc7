package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.eclipse.jetty.ee11.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jetty's servlets end a response with an error page without waiting for its write, and abort it when that is not yet done. */
@Timeout(60)
class ErrorPagesTest {
    private static final int CONNECTIONS = 100;

    private static final class Failing extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        }
    }

    private static ServletContextHandler failing() {
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(new ServletHolder(new Failing()), "/*");
        // As every web application has it.
        context.setErrorHandler(new ErrorPageErrorHandler());
        return context;
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#all")
    void answersHttp2ByAnErrorPage(Connectors connectors) throws Exception {
        try (TestServer server = new TestServer(connectors::httpAndHttp2).start(failing())) {
            for (int i = 0; i < CONNECTIONS; i++) {
                try (RawClient client = server.client()) {
                    String page = Http2Frames.get(client, "/absent").content();
                    assertTrue(page.contains("404"), page);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#all")
    void answersARequestByAnErrorPageWhoseContentIsNotThere(Connectors connectors) throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(failing())) {
            for (int i = 0; i < CONNECTIONS; i++) {
                try (RawClient client = server.client()) {
                    client.send("POST /absent HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nsome");
                    assertEquals(404, client.answer().status());
                }
            }
        }
    }
}
