package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.gzip.GzipHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A 304 has the fields by which caches choose and renew what they have: those that a 200 would have. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class NotModifiedTest {
    private static final String LATER = "If-Modified-Since: Sat, 01 Jan 2095 00:00:00 GMT";
    private static final String GZIP = "Accept-Encoding: gzip";

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void write() throws Exception {
        TestFiles.write(directory, "file.js", 100_000);
        TestFiles.write(directory, "file.js.gz", 50_000);
        TestFiles.write(directory, "alone.js", 100_000);
        Files.writeString(directory.resolve("text.txt"), "All work and no play. ".repeat(1000));
        files.setBaseResourceAsString(directory.toString());
        files.setPrecompressedFormats(CompressedContentFormat.GZIP);
        files.setEtags(true);
        files.setCacheControl("max-age=60");
    }

    private static Answer get(RawClient client, String path, String... fields) throws Exception {
        return client.get(path, fields).answer();
    }

    private static void checkFields(Answer expected, Answer notModified, String request) {
        assertEquals(200, expected.status());
        assertEquals(304, notModified.status(), request);
        for (String name : new String[] {"Vary", "ETag", "Cache-Control", "Last-Modified"}) {
            assertEquals(expected.headers().get(name), notModified.headers().get(name), name + " of " + request);
        }
        // RFC 9110 section 8.6: that of the whole, or none.
        assertNull(notModified.headers().get("Content-Length"), request);
    }

    @Test
    void hasTheFieldsOfTheWhole() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            assertEquals(
                    "Accept-Encoding", get(client, "/file.js", GZIP).headers().get("Vary"));
            for (String path : new String[] {"/file.js", "/alone.js"}) {
                for (String accept : new String[] {GZIP, "Accept-Encoding: identity"}) {
                    Answer whole = get(client, path, accept);
                    assertNotNull(whole.headers().get("ETag"));
                    checkFields(whole, get(client, path, accept, LATER), path + " by date, " + accept);
                    checkFields(
                            whole,
                            get(
                                    client,
                                    path,
                                    accept,
                                    "If-None-Match: " + whole.headers().get("ETag")),
                            path + " by entity tag, " + accept);
                }
            }
        }
    }

    /** A cache would answer that client by the variant. */
    @Test
    void namesNoVariantToAClientThatRefusesIt() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            String variant = get(client, "/file.js", GZIP).headers().get("ETag");
            for (String accept : new String[] {"X-None: 1", "Accept-Encoding: identity"}) {
                String plain = get(client, "/file.js", accept).headers().get("ETag");
                Answer refused = get(client, "/file.js", accept, "If-None-Match: " + variant);
                assertEquals(200, refused.status(), accept);
                assertEquals(plain, refused.headers().get("ETag"));
                Answer same = get(client, "/file.js", accept, "If-None-Match: " + variant + ", " + plain);
                assertEquals(304, same.status(), accept);
                assertEquals(plain, same.headers().get("ETag"));
            }
            assertEquals(
                    304,
                    get(client, "/file.js", GZIP, "If-None-Match: " + variant).status());
        }
    }

    @Test
    void hasNoFieldsOfAFileWhenItIsOfADirectory() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            Answer listing = get(client, "/", GZIP);
            assertTrue(listing.text().contains("alone.js"));
            Answer same = get(client, "/", GZIP, LATER);
            assertEquals(304, same.status());
            assertNull(same.headers().get("ETag"));
            assertNull(same.headers().get("Vary"));
            assertNull(same.headers().get("Content-Length"));
        }
    }

    @Test
    void hasNoOtherEntityTagThanWhatIsCompressedOnItsWay() throws Exception {
        checkCompressed(new CompressionHandler(files));
    }

    @Test
    @SuppressWarnings("removal")
    void hasNoOtherEntityTagThanWhatTheOldHandlerCompresses() throws Exception {
        checkCompressed(new GzipHandler(files));
    }

    private void checkCompressed(Handler handler) throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            Answer compressed = get(client, "/text.txt", GZIP);
            assertEquals("gzip", compressed.headers().get("Content-Encoding"));
            String etag = compressed.headers().get("ETag");
            Answer plain = get(client, "/text.txt", "Accept-Encoding: identity");
            assertEquals(plain.headers().get("ETag").replaceFirst("\"$", "--gzip\""), etag);
            assertEquals(
                    etag,
                    get(client, "/text.txt", GZIP, "If-None-Match: " + etag)
                            .headers()
                            .get("ETag"));
            Answer byDate = get(client, "/text.txt", GZIP, LATER);
            assertEquals(304, byDate.status());
            assertNull(byDate.headers().get("ETag"), "the plain one would be of another answer");
            // RFC 9110 section 8.8.3: one, or none.
            Answer among = get(client, "/text.txt", GZIP, "If-None-Match: \"other\", " + etag);
            assertEquals(304, among.status());
            String named = among.headers().get("ETag");
            assertTrue(named == null || named.equals(etag), named);
        }
    }
}
