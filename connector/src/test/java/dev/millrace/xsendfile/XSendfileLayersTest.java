package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.gzip.GzipHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Delegated files through what else lies between an application and its clients: encryption, multiplexing, compression. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
class XSendfileLayersTest {
    private static final byte[] TEXT = "All work and no play. ".repeat(10_000).getBytes(StandardCharsets.UTF_8);

    private static final String BODY = "Compressible, and long enough to be compressed. ".repeat(100);

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private byte[] image;

    /** Names the file that was asked for, and reads nothing; writes this, which is to lead nowhere. */
    private Handler application(String body) {
        return body.isEmpty() ? Handlers.naming(() -> directory) : Handlers.naming(() -> directory, body);
    }

    @BeforeEach
    void write() throws Exception {
        Files.write(directory.resolve("text.txt"), TEXT);
        image = TestFiles.write(directory, "image.jpg", 500_000);
    }

    private XSendfileHandler delegating(Handler application) {
        XSendfileHandler handler = new XSendfileHandler(application);
        handler.addRoot(directory.toString());
        return handler;
    }

    private static byte[] content(Answer answer) throws Exception {
        return "gzip".equals(answer.headers().get("Content-Encoding"))
                ? new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes()
                : answer.body();
    }

    private static Answer get(RawClient client, String path, String... fields) throws Exception {
        String all = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
        return client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + all + "\r\n")
                .answer();
    }

    private void checkAll(RawClient client) throws Exception {
        Answer whole = get(client, "/image.jpg");
        assertEquals(200, whole.status());
        assertNull(whole.headers().get("X-Sendfile"));
        assertArrayEquals(image, whole.body());
        Answer range = get(client, "/image.jpg", "Range: bytes=100000-399999");
        assertEquals(206, range.status());
        assertArrayEquals(Arrays.copyOfRange(image, 100_000, 400_000), range.body());
        assertEquals(
                304,
                get(
                                client,
                                "/image.jpg",
                                "If-Modified-Since: " + whole.headers().get("Last-Modified"))
                        .status());
        assertEquals(404, get(client, "/none").status());
    }

    @Test
    void areSentOverTls() throws Exception {
        Tls keys = new Tls();
        XSendfileHandler handler = delegating(application(""));
        try (TestServer server = new TestServer(s -> connectors.https(s, keys)).start(handler);
                RawClient client = keys.connect(server.port())) {
            checkAll(client);
            assertEquals(0, handler.getSendfileContentFactory().getTransfers());
        }
    }

    @Test
    void areSentOverHttp2() throws Exception {
        XSendfileHandler handler = delegating(application(""));
        Tls keys = new Tls();
        // Agreed on in the handshake: the JDK's client may lose what comes at once behind the answer to an upgrade.
        HttpClient client = HttpClient.newBuilder().sslContext(keys.client()).build();
        try (TestServer server = new TestServer(s -> connectors.http2(s, keys)).start(handler)) {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/image.jpg"));
            HttpResponse<byte[]> whole = client.send(request.build(), BodyHandlers.ofByteArray());
            assertEquals(HttpClient.Version.HTTP_2, whole.version());
            assertFalse(whole.headers().firstValue("X-Sendfile").isPresent());
            assertArrayEquals(image, whole.body());
            HttpResponse<byte[]> range = client.send(
                    request.copy().header("Range", "bytes=100000-399999").build(), BodyHandlers.ofByteArray());
            assertEquals(206, range.statusCode());
            assertArrayEquals(Arrays.copyOfRange(image, 100_000, 400_000), range.body());
            assertEquals(0, handler.getSendfileContentFactory().getTransfers());
        }
    }

    @Test
    void answerARequestWhoseBodyNobodyReads() throws Exception {
        XSendfileHandler handler = delegating(application(""));
        String post = "POST /image.jpg HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
        try (TestServer server = new TestServer(connectors::http).start(handler)) {
            try (RawClient client = server.client()) {
                assertArrayEquals(
                        image,
                        client.send(post + "1000\r\n\r\n" + "x".repeat(1000))
                                .answer()
                                .body());
                assertArrayEquals(TEXT, client.get("/text.txt").answer().body());
            }
            try (RawClient client = server.client()) {
                assertArrayEquals(
                        image,
                        client.send(post + "1000000\r\n\r\n" + "x".repeat(10))
                                .answer()
                                .body());
                assertEquals(-1, client.read(), "what comes next would be taken for the body");
            }
        }
    }

    private void checkCompressed(Handler handler, boolean compressesText) throws Exception {
        String accept = "Accept-Encoding: gzip";
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            checkAll(client);
            Answer text = get(client, "/text.txt", accept);
            assertEquals(compressesText ? "gzip" : null, text.headers().get("Content-Encoding"));
            assertArrayEquals(TEXT, content(text));
            assertNull(text.headers().get("X-Sendfile"));
            Answer incompressible = get(client, "/image.jpg", accept);
            assertNull(incompressible.headers().get("Content-Encoding"));
            assertArrayEquals(image, incompressible.body());
            assertArrayEquals(TEXT, get(client, "/text.txt").body());
        }
    }

    @Test
    void areCompressedAroundTheDelegation() throws Exception {
        checkCompressed(new CompressionHandler(delegating(application(""))), true);
        checkCompressed(new CompressionHandler(delegating(application(BODY))), true);
    }

    @Test
    void areAsTheyAreAroundACompression() throws Exception {
        checkCompressed(delegating(new CompressionHandler(application(""))), false);
        checkCompressed(delegating(new CompressionHandler(application(BODY))), false);
    }

    @Test
    @SuppressWarnings("removal")
    void areCompressedByTheOldHandlerToo() throws Exception {
        checkCompressed(new GzipHandler(delegating(application(""))), true);
        checkCompressed(new GzipHandler(delegating(application(BODY))), true);
        checkCompressed(delegating(new GzipHandler(application(""))), false);
        checkCompressed(delegating(new GzipHandler(application(BODY))), false);
    }

    private static int resumed(RawClient client, String accept, Answer begun) throws Exception {
        return get(
                        client,
                        "/report",
                        accept,
                        "Range: bytes=1000-5999",
                        "If-Range: " + begun.headers().get("Last-Modified"))
                .status();
    }

    /** What was compressed is not resumed by a date, whatever type the application gives it. What never is goes on. */
    @Test
    void areResumedByADateOfOneCoding() throws Exception {
        TestFiles.age(directory.resolve("text.txt"));
        for (String name : new String[] {"text.txt", "image.jpg"}) {
            Handler application = Handlers.fields(() -> Map.of(
                    "X-Sendfile", directory.resolve(name).toString(), "Content-Type", "application/octet-stream"));
            try (TestServer server =
                            new TestServer(connectors::http).start(new CompressionHandler(delegating(application)));
                    RawClient client = server.client()) {
                boolean isText = name.equals("text.txt");
                Answer begun = get(client, "/report", "Accept-Encoding: gzip");
                assertEquals(isText ? "gzip" : null, begun.headers().get("Content-Encoding"), name);
                for (String accept : new String[] {"Accept-Encoding: gzip", "Accept-Encoding: identity"}) {
                    assertEquals(isText ? 200 : 206, resumed(client, accept, begun), name + ", " + accept);
                }
            }
        }
    }

    /** Of a file that is compressed on the disk, for example. */
    private static Handler encoded(Handler application) {
        return Handlers.around(application, (request, response, callback) -> {
            response.getHeaders().put("Content-Encoding", "br");
            response.getHeaders().put("Content-Disposition", "attachment");
            response.getHeaders().put("ETag", "\"one\"");
            return application.handle(request, response, callback);
        });
    }

    @Test
    void haveTheEncodingThatTheApplicationSays() throws Exception {
        for (String body : new String[] {"", BODY}) {
            try (TestServer server = new TestServer(connectors::http).start(delegating(encoded(application(body))));
                    RawClient client = server.client()) {
                Answer answer = get(client, "/image.jpg");
                assertArrayEquals(image, answer.body());
                assertEquals(body.isEmpty() ? "br" : null, answer.headers().get("Content-Encoding"));
            }
        }
    }

    @Test
    void leaveNoFieldOfTheirsOnAPageThatSaysWhyTheyAreNotSent() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(delegating(encoded(application(""))));
                RawClient client = server.client()) {
            for (String range : new String[] {"bytes=0-9", "bytes=0-9,20-29"}) {
                Answer part = get(client, "/image.jpg", "Range: " + range, "If-Match: \"one\"");
                assertEquals(206, part.status());
                assertEquals("br", part.headers().get("Content-Encoding"));
                assertEquals("attachment", part.headers().get("Content-Disposition"));
            }
            checkPage(416, get(client, "/image.jpg", "Range: bytes=99999999-"));
            checkPage(416, get(client, "/image.jpg", "Range: bytes=99999998-99999998,99999999-"));
            checkPage(412, get(client, "/image.jpg", "If-Match: \"other\""));
        }
    }

    private static void checkPage(int status, Answer page) {
        assertEquals(status, page.status());
        assertTrue(page.text().contains(String.valueOf(status)), page.text());
        assertNull(page.headers().get("Content-Encoding"));
        assertNull(page.headers().get("Content-Disposition"));
    }
}
