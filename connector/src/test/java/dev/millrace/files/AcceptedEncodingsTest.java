package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which pre-compressed variant a request is sent, by RFC 9110 section 12.5.3. */
class AcceptedEncodingsTest {
    @TempDir
    Path directory;

    @BeforeEach
    void write() throws Exception {
        Files.writeString(directory.resolve("two.js"), "identity");
        Files.writeString(directory.resolve("two.js.gz"), "gzip");
        Files.writeString(directory.resolve("two.js.br"), "br");
        Files.writeString(directory.resolve("one.js"), "identity");
        Files.writeString(directory.resolve("one.js.gz"), "gzip");
    }

    private static void check(RawClient client, String path, String expected, String... accepted) throws Exception {
        for (String field : accepted) {
            Answer answer = client.get(path, "Accept-Encoding: " + field).answer();
            assertEquals(200, answer.status(), path + " " + field);
            assertEquals(expected, answer.text(), path + " " + field);
            assertEquals(
                    expected,
                    answer.headers().getOrDefault("Content-Encoding", "identity"),
                    path + " " + field + " " + answer.headers());
            assertEquals("Accept-Encoding", answer.headers().get("Vary"));
        }
    }

    private TestServer server() throws Exception {
        SendfileHandler files = Handlers.files(directory);
        files.setPrecompressedFormats(CompressedContentFormat.GZIP, CompressedContentFormat.BR);
        return new TestServer(Connectors.NIO::http).start(files);
    }

    @Test
    void areNoneOfThoseThatAreRefusedBesideAWildcard() throws Exception {
        try (TestServer server = server();
                RawClient client = server.client()) {
            check(client, "/one.js", "identity", "gzip;q=0, *", "*, gzip;q=0", "*;q=0.5, GZIP;q=0");
            check(
                    client,
                    "/two.js",
                    "br",
                    "gzip;q=0, *",
                    "*;q=0.5,gzip; q=0.0",
                    "gzip;q=0, *\r\nAccept-Encoding: deflate");
            check(client, "/two.js", "identity", "gzip;q=0, *, br;q=0", "*;q=0", "identity, *;q=0", "*;q=0, gzip;q=0");
        }
    }

    @Test
    void areTheOthersOfAWildcard() throws Exception {
        try (TestServer server = server();
                RawClient client = server.client()) {
            check(client, "/one.js", "gzip", "*", "identity;q=0, *", "br, *;q=0.1", "gzip, *;q=0");
            check(client, "/two.js", "br", "br, *;q=0.1", "br, *;q=0", "gzip;q=0.1, *");
        }
    }

    /** The fault of the peer, and nothing for the log. */
    @Test
    void areNoneOfAMalformedField() throws Exception {
        try (Logged logged = new Logged("org.eclipse.jetty");
                TestServer server = server();
                RawClient client = server.client()) {
            check(client, "/one.js", "identity", "gzip ; q = 0", "gzip, \"br", "\\\"x");
            assertEquals(0, logged.count("IllegalArgumentException"));
        }
    }
}
