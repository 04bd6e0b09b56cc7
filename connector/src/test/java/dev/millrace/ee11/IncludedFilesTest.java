package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files as parts of what another servlet answers. On Jetty's connector, Jetty's servlet: what is to come out. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
class IncludedFilesTest {
    private static final String TEXT = "All work and no play. ".repeat(100);
    private static final String[] PATHS = {"/include?times=1", "/include?times=1&before=%3Cp%3E", "/text.txt?times=1"};

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private static final class Including extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            String before = request.getParameter("before");
            if (before != null) {
                response.getOutputStream().print(before);
            }
            RequestDispatcher files = request.getServletPath().equals("/include")
                    ? request.getRequestDispatcher("/files/text.txt")
                    : getServletContext().getNamedDispatcher("files");
            for (int i = 0; i < Integer.parseInt(request.getParameter("times")); i++) {
                files.include(request, response);
            }
        }
    }

    private ServletContextHandler context() throws IOException {
        Files.writeString(directory.resolve("text.txt"), TEXT);
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder files = new ServletHolder(
                "files", connectors == Connectors.STOCK ? ResourceServlet.class : SendfileServlet.class);
        context.addServlet(files, "/files/*");
        files.setInitParameter("baseResource", directory.toString());
        context.addServlet(new Including(), "/include");
        context.addServlet(new Including(), "/text.txt");
        return context;
    }

    @Test
    void countForTheLengthThatAHeadTells() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(context());
                RawClient client = server.client()) {
            for (int times = 1; times <= 2; times++) {
                String request = " /include?times=" + times + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
                Answer get = client.send("GET" + request).answer();
                assertEquals(TEXT.repeat(times), get.text());
                Answer head = client.send("HEAD" + request).answer("HEAD");
                assertEquals(
                        String.valueOf(times * TEXT.length()), head.headers().get("Content-Length"));
            }
        }
    }

    /** A page of which a part only is compressed can be read by nobody: Jetty's servlet makes such a one. */
    @Test
    void areNotCompressedWithinThePage() throws Exception {
        assumeTrue(connectors != Connectors.STOCK);
        ServletContextHandler context = context();
        Files.writeString(directory.resolve("text.txt.gz"), "compressed");
        context.getServletHandler().getServlet("files").setInitParameter("precompressed", "true");
        try (TestServer server = new TestServer(connectors::http).start(context);
                RawClient client = server.client()) {
            for (String path : PATHS) {
                Answer page = client.get(path, "Accept-Encoding: gzip").answer();
                assertEquals((path.contains("before") ? "<p>" : "") + TEXT, page.text());
                assertNull(page.headers().get("Content-Encoding"));
            }
            assertEquals(
                    "compressed",
                    client.get("/files/text.txt", "Accept-Encoding: gzip")
                            .answer()
                            .text());
        }
    }

    /** What the client asks for is about the page: Jetty's servlet takes it for what is asked of the file. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Range: bytes=0-9",
                "Range: bytes=0-9,20-29",
                "Range: bytes=99999-",
                "If-Modified-Since: Sat, 01 Jan 2095 00:00:00 GMT"
            })
    void areWholeWhateverIsAskedOfThePage(String field) throws Exception {
        assumeTrue(connectors != Connectors.STOCK);
        try (TestServer server = new TestServer(connectors::http).start(context());
                RawClient client = server.client()) {
            for (String path : PATHS) {
                Answer page = client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + field + "\r\n\r\n")
                        .answer();
                assertEquals(200, page.status(), path);
                assertEquals((path.contains("before") ? "<p>" : "") + TEXT, page.text());
                assertNull(page.headers().get("Content-Range"));
            }
        }
    }
}
