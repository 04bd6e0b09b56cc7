package dev.millrace.files;

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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.eclipse.jetty.server.handler.ThreadLimitHandler;
import org.eclipse.jetty.server.handler.gzip.GzipHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Behind Jetty's compression: a part of a file is a part of its bytes as they are, whichever way it goes. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
class CompressedRangesTest {
    private static final byte[] TEXT = "All work and no play. ".repeat(5000).getBytes(StandardCharsets.UTF_8);
    private static final byte[] LOG = "2026 all is well\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();
    private final CompressionHandler compression = new CompressionHandler(files);

    @BeforeEach
    void write() throws Exception {
        TestFiles.age(Files.write(directory.resolve("text.txt"), TEXT));
        TestFiles.age(Files.write(directory.resolve("log.txt"), LOG));
        files.setBaseResourceAsString(directory.toString());
    }

    private static void checkRange(RawClient client, int from, int to) throws Exception {
        Answer range = client.send("GET /text.txt HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nRange: bytes="
                        + from + "-" + (to - 1) + "\r\n\r\n")
                .answer();
        assertEquals(206, range.status());
        assertNull(range.headers().get("Content-Encoding"));
        assertEquals(
                "bytes " + from + "-" + (to - 1) + "/" + TEXT.length,
                range.headers().get("Content-Range"));
        assertArrayEquals(Arrays.copyOfRange(TEXT, from, to), range.body());
    }

    private static void checkRanges(RawClient client) throws Exception {
        checkRange(client, 1000, 6000);
        checkRange(client, 1000, 26_000);
        checkRange(client, 1000, 101_000);
        Answer parts = client.send("GET /text.txt HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n"
                        + "Range: bytes=1-1000,2000-50000\r\n\r\n")
                .answer();
        assertNull(parts.headers().get("Content-Encoding"));
        assertTrue(parts.text().contains(new String(TEXT, 2000, 48_001, StandardCharsets.UTF_8)));
        assertEquals("gzip", whole(client, "/text.txt").headers().get("Content-Encoding"));
    }

    private static Answer whole(RawClient client, String path) throws Exception {
        return client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n")
                .answer();
    }

    @Test
    void goPlain() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(compression);
                RawClient client = server.client()) {
            checkRanges(client);
        }
    }

    @Test
    void goPlainFromTheCache() throws Exception {
        files.getSettings().setMaxCacheBytes(1_000_000);
        files.getSettings().setMaxCachedFileBytes(200_000);
        try (TestServer server = new TestServer(connectors::http).start(compression);
                RawClient client = server.client()) {
            for (int i = 0; i < 10; i++) {
                checkRange(client, 1000, 6000);
            }
            checkRange(client, 0, 100_000);
            assertTrue(files.getSendfileContentFactory().getCacheHits() > 3);
            assertEquals("gzip", whole(client, "/text.txt").headers().get("Content-Encoding"));
        }
    }

    private static int resumed(RawClient client, String path, String accept, Answer begun) throws Exception {
        return client.get(
                        path,
                        accept,
                        "Range: bytes=1000-5999",
                        "If-Range: " + begun.headers().get("Last-Modified"))
                .answer()
                .status();
    }

    /** Of two codings that have a date in common, it does not say which one the client has a part of. */
    @Test
    void doNotFollowWhatWasCompressed() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(compression);
                RawClient client = server.client()) {
            Answer begun = whole(client, "/text.txt");
            assertEquals("gzip", begun.headers().get("Content-Encoding"));
            assertEquals(200, resumed(client, "/text.txt", "Accept-Encoding: gzip", begun));
            assertEquals(200, resumed(client, "/text.txt", "Accept-Encoding: identity", begun));
            Answer neverCompressed = whole(client, "/log.txt");
            assertEquals(206, resumed(client, "/log.txt", "Accept-Encoding: gzip", neverCompressed));
            assertEquals(206, resumed(client, "/log.txt", "Accept-Encoding: identity", neverCompressed));
        }
    }

    /** Where another layer or handler has it compressed, whatever its size and type, or may have. */
    @Test
    @SuppressWarnings("removal")
    void doNotFollowLargeFilesThatWereCompressed() throws Exception {
        Handler[] compressing = {
            new CompressionHandler(new StatisticsHandler(Handlers.files(directory))),
            new CompressionHandler(new ThreadLimitHandler(Handlers.files(directory), null, true)),
            new GzipHandler(Handlers.files(directory)),
            new CompressionHandler(new GzipHandler(Handlers.files(directory)))
        };
        for (Handler handler : compressing) {
            try (TestServer server = new TestServer(connectors::http).start(handler);
                    RawClient client = server.client()) {
                Answer begun = whole(client, "/log.txt");
                assertEquals("gzip", begun.headers().get("Content-Encoding"), handler.toString());
                assertEquals(200, resumed(client, "/log.txt", "Accept-Encoding: gzip", begun), handler.toString());
                assertEquals(200, resumed(client, "/log.txt", "Accept-Encoding: identity", begun), handler.toString());
            }
        }
    }

    private static Handler varying(Handler files) {
        return Handlers.around(files, (request, response, callback) -> {
            response.getHeaders().put("Vary", "Accept-Encoding");
            return files.handle(request, response, callback);
        });
    }

    /** Who says so may compress the file for other clients, and is not seen to do so. */
    @Test
    void doNotFollowWhatVariesForAnUnknownReason() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(varying(Handlers.files(directory)));
                RawClient client = server.client()) {
            Answer begun = whole(client, "/log.txt");
            assertEquals(200, resumed(client, "/log.txt", "Accept-Encoding: identity", begun));
        }
    }

    @Test
    void followWhatWentPastTheCompressionWhateverIsAroundIt() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(new StatisticsHandler(compression));
                RawClient client = server.client()) {
            Answer begun = whole(client, "/log.txt");
            assertNull(begun.headers().get("Content-Encoding"));
            assertEquals(206, resumed(client, "/log.txt", "Accept-Encoding: gzip", begun));
        }
    }

    @Test
    void doNotFollowAVariantOfTheSameDate() throws Exception {
        Path variant = Files.write(directory.resolve("text.txt.gz"), Arrays.copyOf(TEXT, 50_000));
        Files.setLastModifiedTime(variant, Files.getLastModifiedTime(directory.resolve("text.txt")));
        files.setPrecompressedFormats(CompressedContentFormat.GZIP, CompressedContentFormat.BR);
        files.getSettings().setValidMillis(0);
        String[] accepted = {"Accept-Encoding: gzip", "Accept-Encoding: identity"};
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            for (String accept : accepted) {
                Answer begun = client.get("/text.txt", accept).answer();
                assertEquals(200, resumed(client, "/text.txt", accepted[0], begun), accept);
                assertEquals(200, resumed(client, "/text.txt", accepted[1], begun), accept);
            }
            Files.setLastModifiedTime(variant, FileTime.fromMillis(0));
            for (String accept : accepted) {
                Answer begun = client.get("/text.txt", accept).answer();
                assertEquals(206, resumed(client, "/text.txt", accept, begun), accept);
            }
        }
    }

    @Test
    void goPlainOverTlsAndSoDoLargeFiles() throws Exception {
        Tls keys = new Tls();
        try (TestServer server = new TestServer(s -> connectors.https(s, keys)).start(compression);
                RawClient client = keys.connect(server.port())) {
            checkRanges(client);
            Answer large = whole(client, "/log.txt");
            assertNull(large.headers().get("Content-Encoding"));
            assertArrayEquals(LOG, large.body());
        }
    }

    @Test
    void goPlainOverHttp2() throws Exception {
        Tls keys = new Tls();
        // Agreed on in the handshake: the JDK's client may lose what comes at once behind the answer to an upgrade.
        HttpClient client = HttpClient.newBuilder().sslContext(keys.client()).build();
        try (TestServer server = new TestServer(s -> connectors.http2(s, keys)).start(compression)) {
            URI text = URI.create("https://localhost:" + server.port() + "/text.txt");
            for (int to : new int[] {6000, 26_000, 101_000}) {
                HttpResponse<byte[]> range = client.send(
                        HttpRequest.newBuilder(text)
                                .header("Accept-Encoding", "gzip")
                                .header("Range", "bytes=1000-" + (to - 1))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
                assertEquals(HttpClient.Version.HTTP_2, range.version());
                assertEquals(206, range.statusCode());
                assertFalse(range.headers().firstValue("Content-Encoding").isPresent());
                assertArrayEquals(Arrays.copyOfRange(TEXT, 1000, to), range.body());
            }
        }
    }

    @Test
    void goPlainFromAJar() throws Exception {
        Path jar = directory.resolve("files.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("www/"));
            zip.putNextEntry(new ZipEntry("www/text.txt"));
            zip.write(TEXT);
        }
        TestServer server = new TestServer(connectors::http);
        files.setBaseResource(ResourceFactory.of(server.server())
                .newJarFileResource(jar.toUri())
                .resolve("www/"));
        try (server;
                RawClient client = server.start(compression).client()) {
            checkRanges(client);
            assertTrue(files.getSendfileContentFactory().getObstacles().get("NOT_A_FILE") > 0);
        }
    }
}
