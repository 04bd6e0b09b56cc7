package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only has the name of a pre-compressed variant, or of what has one. */
class VariantsTest {
    @TempDir
    Path directory;

    @Test
    void aDirectoryIsNone() throws Exception {
        Files.writeString(directory.resolve("a.js"), "plain");
        Files.createDirectory(directory.resolve("a.js.gz"));
        SendfileHandler files = Handlers.files(directory);
        files.setPrecompressedFormats(CompressedContentFormat.GZIP);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files);
                RawClient client = server.client()) {
            Answer answer = client.send("GET /a.js HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
                    .answer();
            assertEquals(200, answer.status());
            assertEquals("plain", answer.text());
        }
    }

    private void checkDirectory(Handler files) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files);
                RawClient client = server.client()) {
            for (String path : List.of("/x", "/x?q")) {
                Answer answer = client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
                        .answer();
                assertEquals(302, answer.status(), answer.text());
                assertTrue(
                        answer.headers().get("Location").endsWith(path.replace("x", "x/")),
                        answer.headers().toString());
            }
            Answer listing = client.send("GET /x/ HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n")
                    .answer();
            assertTrue(listing.text().contains("inside.txt"), listing.text());
        }
    }

    private void writeDirectory() throws Exception {
        Files.createDirectory(directory.resolve("x"));
        Files.writeString(directory.resolve("x/inside.txt"), "inside");
        Files.writeString(directory.resolve("x.gz"), "of another");
    }

    @Test
    void aDirectoryHasNone() throws Exception {
        writeDirectory();
        SendfileHandler files = Handlers.files(directory);
        files.setPrecompressedFormats(CompressedContentFormat.GZIP);
        checkDirectory(files);
    }

    @Test
    void aDirectoryHasNoneToTheServlet() throws Exception {
        writeDirectory();
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/*");
        files.setInitParameter("baseResource", directory.toString());
        files.setInitParameter("precompressed", "true");
        checkDirectory(context);
    }
}
