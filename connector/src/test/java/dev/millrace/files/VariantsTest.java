package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pre-compressed variants, and what only has the name of one, or of what has one. */
class VariantsTest {
    private static final String GZIP = "Accept-Encoding: gzip";

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

    /** Else a client would keep what a variant was until the file itself is changed. */
    @Test
    void hasAnEntityTagOfItsOwnVersion() throws Exception {
        for (boolean isWithinCompression : new boolean[] {false, true}) {
            Files.writeString(directory.resolve("a.js"), "plain");
            Files.writeString(directory.resolve("a.js.gz"), "one");
            SendfileHandler files = Handlers.files(directory);
            files.setPrecompressedFormats(CompressedContentFormat.BR, CompressedContentFormat.GZIP);
            files.setEtags(true);
            files.getSettings().setValidMillis(0);
            try (TestServer server = new TestServer(Connectors.NIO::http)
                            .start(isWithinCompression ? new CompressionHandler(files) : files);
                    RawClient client = server.client()) {
                Answer first = client.get("/a.js", GZIP).answer();
                assertEquals("one", first.text());
                String tag = first.headers().get("ETag");
                assertTrue(tag.endsWith("--gzip\""), tag);
                Answer same = client.get("/a.js", GZIP, "If-None-Match: " + tag).answer();
                assertEquals(304, same.status());
                assertEquals(tag, same.headers().get("ETag"));
                Path another = Files.writeString(directory.resolve("another"), "another");
                Files.move(another, directory.resolve("a.js.gz"), StandardCopyOption.ATOMIC_MOVE);
                Answer second =
                        client.get("/a.js", GZIP, "If-None-Match: " + tag).answer();
                assertEquals(200, second.status());
                assertEquals("another", second.text());
                assertNotEquals(tag, second.headers().get("ETag"));
            }
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
