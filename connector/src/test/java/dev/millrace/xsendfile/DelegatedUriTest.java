package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which file a URI names: a semicolon is a character of a path like another. */
class DelegatedUriTest {
    private static final Map<String, String> FILES_BY_URI = Map.of(
            "/p/a",
            "a",
            "/p/a?b",
            "a",
            "/p/a;b.txt",
            "a;b.txt",
            "/p/a%3Bb.txt",
            "a;b.txt",
            "/p/a;b.txt?c;d",
            "a;b.txt",
            "/p/d;1/a%20;",
            "d;1/a ;");

    @TempDir
    Path directory;

    private XSendfileHandler handler() {
        XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
            response.getHeaders().put("X-Accel-Redirect", request.getHeaders().get("X-Uri"));
            callback.succeeded();
        }));
        handler.addMapping("/p/", directory.toString());
        return handler;
    }

    @Test
    void namesWithSemicolons() throws Exception {
        Files.createDirectory(directory.resolve("d;1"));
        for (String file : FILES_BY_URI.values()) {
            Files.writeString(directory.resolve(file), file);
        }
        XSendfileHandler handler = handler();
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            for (Map.Entry<String, String> named : FILES_BY_URI.entrySet()) {
                assertEquals(
                        named.getValue(),
                        client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Uri: " + named.getKey() + "\r\n\r\n")
                                .answer()
                                .text(),
                        named.getKey());
            }
            assertEquals(
                    404,
                    client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Uri: /p/a;none\r\n\r\n")
                            .answer()
                            .status());
        }
    }

    /** A client that chooses a name must not write lines of the log. Jetty's own way to log would take a line end for a bar. */
    @Test
    void isLoggedInOneLine() throws Exception {
        // First, for a logger that is made later has the level that it is configured with.
        XSendfileHandler handler = handler();
        try (Logged logged = new Logged("dev.millrace.xsendfile");
                TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            for (String name : new String[] {"/p/none%0AWARN", "/p/none%00%0AWARN"}) {
                assertEquals(
                        404,
                        client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Uri: " + name + "\r\n\r\n")
                                .answer()
                                .status());
            }
            assertEquals(1, logged.count("none?WARN: there is no such file"));
            assertEquals(1, logged.count("none%00%0AWARN: Nul character not allowed"));
        }
    }
}
