package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.XSendfileHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The conditions {@code *}, of RFC 9110 sections 13.1.1 and 13.1.2: true and false for whatever exists. */
class WildcardConditionsTest {
    private static final String LONG_AGO = "Mon, 01 Jan 2001 00:00:00 GMT";

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void write() throws Exception {
        TestFiles.write(directory, "file.js", 100_000);
        TestFiles.write(directory, "file.js.gz", 50_000);
        Files.createDirectory(directory.resolve("sub"));
        files.setBaseResourceAsString(directory.toString());
        files.setPrecompressedFormats(CompressedContentFormat.GZIP);
        files.setEtags(true);
    }

    private static void check(RawClient client, int status, String... fields) throws Exception {
        for (String method : new String[] {"GET", "HEAD"}) {
            Answer answer = client.send(
                            method + " /file.js HTTP/1.1\r\nHost: a\r\n" + String.join("\r\n", fields) + "\r\n\r\n")
                    .answer(method);
            assertEquals(status, answer.status(), method + " " + String.join(", ", fields));
        }
    }

    private static void check(Handler handler) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            check(client, 200, "If-Match: *");
            check(client, 206, "If-Match: *", "Range: bytes=0-9");
            check(client, 206, "If-Match: *", "Range: bytes=0-9,20-29", "X-Other: 1");
            // Section 13.1.4: not looked at beside If-Match.
            check(client, 200, "If-Match: *", "If-Unmodified-Since: " + LONG_AGO);
            check(client, 304, "If-Match: *", "If-None-Match: *");
            check(client, 304, "If-None-Match: *");
            check(client, 304, "If-None-Match: *", "Range: bytes=0-9");
            // Section 13.1.3: not looked at beside If-None-Match.
            check(client, 304, "If-None-Match: *", "If-Modified-Since: " + LONG_AGO);
            // Section 13.2.2: these come first.
            check(client, 412, "If-None-Match: *", "If-Match: \"other\"");
            check(client, 412, "If-None-Match: *", "If-Unmodified-Since: " + LONG_AGO);
            check(client, 200, "If-None-Match: \"*\"");
            check(client, 412, "If-Match: \"*\"");
        }
    }

    @Test
    void areJudgedForAFile() throws Exception {
        check(files);
    }

    @Test
    void areJudgedForAFileBehindACompression() throws Exception {
        check(new CompressionHandler(files));
    }

    @Test
    void areJudgedForADelegatedFile() throws Exception {
        for (String etag : new String[] {null, "\"of-the-application\""}) {
            XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
                if (etag != null) {
                    response.getHeaders().put("ETag", etag);
                }
                response.getHeaders()
                        .put("X-Sendfile", directory.resolve("file.js").toString());
                callback.succeeded();
            }));
            handler.addRoot(directory.toString());
            check(handler);
        }
    }

    @Test
    void areJudgedForAFileWithoutEntityTags() throws Exception {
        files.setEtags(false);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files);
                RawClient client = server.client()) {
            check(client, 200, "If-Match: *");
            check(client, 304, "If-None-Match: *");
        }
    }

    /** A compression around knows only the condition by which a 304 came about. */
    @Test
    void areNoEntityTagOfWhatIsNotModified() throws Exception {
        String[][] conditions = {
            {"If-None-Match: *"},
            {"If-Match: *", "If-None-Match: *"},
            {"If-Match: *", "If-Modified-Since: Sat, 01 Jan 2095 00:00:00 GMT"}
        };
        try (TestServer server = new TestServer(Connectors.NIO::http).start(new CompressionHandler(files));
                RawClient client = server.client()) {
            for (String[] condition : conditions) {
                String[] fields = Stream.concat(Stream.of("Accept-Encoding: gzip"), Stream.of(condition))
                        .toArray(String[]::new);
                Answer answer = client.get("/file.js", fields).answer();
                assertEquals(304, answer.status());
                assertNull(answer.headers().get("ETag"), String.join(", ", condition));
                assertEquals("Accept-Encoding", answer.headers().get("Vary"));
            }
        }
    }

    @Test
    void isNotThatOfAMissingFileOrOfAListingThatIsForbidden() throws Exception {
        files.setDirAllowed(false);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files);
                RawClient client = server.client()) {
            for (String field : new String[] {"If-Match: *", "If-None-Match: *"}) {
                String rest = " HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n";
                assertEquals(404, client.send("GET /missing" + rest).answer().status());
                assertEquals(403, client.send("GET /sub/" + rest).answer().status());
            }
        }
    }
}
