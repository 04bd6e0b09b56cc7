package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of two codings that have a date in common, it does not say which one the client of a servlet has a part of. */
class ResumedCodingsTest {
    private static final String GZIP = "Accept-Encoding: gzip";

    @TempDir
    Path directory;

    private final ServletContextHandler context = new ServletContextHandler("/");

    @BeforeEach
    void write() throws Exception {
        byte[] text = "All work and no play. ".repeat(5000).getBytes(StandardCharsets.UTF_8);
        TestFiles.age(Files.write(directory.resolve("text.txt"), text));
        TestFiles.write(directory, "file.bin", 100_000);
        ServletHolder files = context.addServlet(SendfileServlet.class, "/*");
        files.setInitParameter("baseResource", directory.toString());
        files.setInitParameter("precompressed", "true");
    }

    private static void check(RawClient client, String path, int expected) throws Exception {
        Answer begun = client.get(path, GZIP).answer();
        for (String accept : new String[] {GZIP, "Accept-Encoding: identity"}) {
            String version = "If-Range: " + begun.headers().get("Last-Modified");
            Answer resumed =
                    client.get(path, accept, "Range: bytes=10-4999", version).answer();
            assertEquals(expected, resumed.status(), path + " " + accept);
        }
    }

    private void check(Handler handler) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            check(client, "/text.txt", 200);
            check(client, "/file.bin", 206);
        }
    }

    @Test
    void areNotJoinedBehindACompression() throws Exception {
        check(new CompressionHandler(context));
    }

    /** Then what the compression gets does not depend on size and type. */
    @Test
    void areNotJoinedWhereAFilterWrapsTheResponse() throws Exception {
        Filter wrapping = (request, response, chain) ->
                chain.doFilter(request, new HttpServletResponseWrapper((HttpServletResponse) response));
        context.addFilter(new FilterHolder(wrapping), "/*", EnumSet.of(DispatcherType.REQUEST));
        try (TestServer server = new TestServer(Connectors.NIO::http).start(new CompressionHandler(context));
                RawClient client = server.client()) {
            assertEquals(
                    "gzip", client.get("/file.bin", GZIP).answer().headers().get("Content-Encoding"));
            check(client, "/file.bin", 200);
        }
    }

    @Test
    void areNotJoinedWithAVariant() throws Exception {
        TestFiles.write(directory, "text.txt.gz", 50_000);
        Files.setLastModifiedTime(
                directory.resolve("text.txt.gz"), Files.getLastModifiedTime(directory.resolve("text.txt")));
        check(context);
    }
}
