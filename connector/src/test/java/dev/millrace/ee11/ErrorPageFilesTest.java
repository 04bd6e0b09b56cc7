package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.ee11.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Error pages that are files: ranges and conditions are those of what was asked for, which is not there. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class ErrorPageFilesTest {
    private static final String PAGE = "There is no such file. ".repeat(1000);

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    /** As many frameworks do. */
    private static final class Forwarding extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            request.getRequestDispatcher("/404.html").forward(request, response);
        }
    }

    private Handler context(String page) throws Exception {
        Files.writeString(directory.resolve("404.html"), PAGE);
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/");
        files.setInitParameter("baseResource", directory.toString());
        files.setInitParameter("etags", "true");
        ErrorPageErrorHandler errors = new ErrorPageErrorHandler();
        context.addServlet(new Forwarding(), "/error");
        errors.addErrorPage(404, page);
        context.setErrorHandler(errors);
        return context;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Nothing: asked for",
                "Range: bytes=0-3",
                "Range: bytes=0-3,10-12",
                "Range: bytes=99999-",
                "If-Match: \"other\"",
                "If-None-Match: *",
                "If-Modified-Since: Sat, 01 Jan 2095 00:00:00 GMT",
                "If-Unmodified-Since: Mon, 01 Jan 2001 00:00:00 GMT"
            })
    void areSentWhole(String field) throws Exception {
        areSentWhole(field, "/404.html");
        areSentWhole(field, "/error");
    }

    private void areSentWhole(String field, String page) throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(context(page));
                RawClient client = server.client()) {
            String fields = " HTTP/1.1\r\nHost: localhost\r\n" + field + "\r\n\r\n";
            Answer answer = client.send("GET /absent" + fields).answer();
            assertEquals(404, answer.status());
            assertEquals(PAGE, answer.text());
            assertNull(answer.headers().get("Content-Range"));
            assertEquals(
                    404, client.send("HEAD /absent" + fields).answer("HEAD").status());
        }
    }
}
