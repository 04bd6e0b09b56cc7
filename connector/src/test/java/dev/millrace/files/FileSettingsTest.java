package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ResourceService.WelcomeMode;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The settings of Jetty's ResourceHandler, and ours, in {@link SendfileHandler}. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class FileSettingsTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private SendfileHandler files() {
        SendfileHandler files = Handlers.files(directory);
        files.getSettings().setDebugHeader(true);
        return files;
    }

    static String get(String path, String... fields) {
        return request("GET", path, fields);
    }

    static String request(String method, String path, String... fields) {
        StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n");
        for (String field : fields) {
            request.append(field).append("\r\n");
        }
        return request.append("\r\n").toString();
    }

    static String way(Answer answer) {
        return answer.headers().get(SendfileSettings.DEBUG_HEADER);
    }

    @Test
    void saysHowContentWent() throws Exception {
        TestFiles.write(directory, "small.bin", 100);
        TestFiles.write(directory, "large.bin", 100_000);
        SendfileHandler files = files();
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            assertEquals("SMALL", way(client.get("/small.bin").answer()));
            assertEquals("yes", way(client.get("/large.bin").answer()));
            files.getSettings().setMinTransferBytes(100);
            assertEquals("GATHERED", way(client.get("/small.bin").answer()));
            files.getSettings().setMaxGatherBytes(99);
            assertEquals("yes", way(client.get("/small.bin").answer()));
            files.getSettings().setDebugHeader(false);
            assertNull(way(client.get("/large.bin").answer()));
            assertEquals(3, files.getSendfileContentFactory().getTransfers());
        }
    }

    @Test
    void saysOfAnEntryOfAJarThatItIsNoFile() throws Exception {
        Path jar = directory.resolve("files.jar");
        byte[] bytes = new byte[100_000];
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("www/"));
            zip.putNextEntry(new ZipEntry("www/large.bin"));
            zip.write(bytes);
        }
        SendfileHandler files = files();
        TestServer server = new TestServer(connectors::http);
        files.setBaseResource(ResourceFactory.of(server.server())
                .newJarFileResource(jar.toUri())
                .resolve("www/"));
        try (server;
                RawClient client = server.start(files).client()) {
            Answer answer = client.get("/large.bin").answer();
            assertArrayEquals(bytes, answer.body());
            assertEquals("NOT_A_FILE", way(answer));
            assertEquals(
                    200,
                    client.send(request("HEAD", "/large.bin")).answer("HEAD").status());
            assertEquals(
                    304,
                    client.send(get("/large.bin", "If-Modified-Since: Sat, 01 Jan 2095 00:00:00 GMT"))
                            .answer()
                            .status());
            assertEquals(1, files.getSendfileContentFactory().getObstacles().get("NOT_A_FILE"));
        }
    }

    @Test
    void compressesWhatIsWorthItAndTransfersTheRest() throws Exception {
        byte[] text = "All work and no play. ".repeat(5000).getBytes(StandardCharsets.UTF_8);
        Files.write(directory.resolve("text.txt"), text);
        byte[] image = TestFiles.write(directory, "image.jpg", 300_000);
        byte[] log = "2026 all is well\n".repeat(100_000).getBytes(StandardCharsets.UTF_8);
        Files.write(directory.resolve("log.txt"), log);
        CompressionHandler compression = new CompressionHandler(files());
        String accept = "Accept-Encoding: gzip";
        try (TestServer server = new TestServer(connectors::http).start(compression);
                RawClient client = server.client()) {
            Answer small = client.send(get("/text.txt", accept)).answer();
            assertEquals("gzip", small.headers().get("Content-Encoding"));
            assertArrayEquals(text, new GZIPInputStream(new ByteArrayInputStream(small.body())).readAllBytes());
            assertEquals("WRAPPED", way(small));
            Answer incompressible = client.send(get("/image.jpg", accept)).answer();
            assertArrayEquals(image, incompressible.body());
            assertEquals("yes", way(incompressible));
            Answer large = client.send(get("/log.txt", accept)).answer();
            assertArrayEquals(log, large.body());
            assertNull(large.headers().get("Content-Encoding"));
            assertEquals("yes", way(large));
            assertArrayEquals(text, client.get("/text.txt").answer().body());
        }
    }

    /** Counts the bytes that are written to responses. */
    private static final class Watching extends EventsHandler {
        private final AtomicLong bytes = new AtomicLong();

        private Watching(Handler handler) {
            super(handler);
        }

        @Override
        protected void onResponseWrite(Request request, boolean last, ByteBuffer content) {
            bytes.addAndGet(content == null ? 0 : content.remaining());
        }
    }

    @Test
    void letsNobodyMissWhatHeWatches() throws Exception {
        byte[] image = TestFiles.write(directory, "image.jpg", 300_000);
        String accept = "Accept-Encoding: gzip";
        Watching inside = new Watching(files());
        try (TestServer server = new TestServer(connectors::http).start(new CompressionHandler(inside));
                RawClient client = server.client()) {
            Answer answer = client.send(get("/image.jpg", accept)).answer();
            assertArrayEquals(image, answer.body());
            assertEquals("WRAPPED", way(answer), "beyond the compression is beyond who watches, too");
            assertEquals(300_000, inside.bytes.get());
        }
        Watching outside = new Watching(new CompressionHandler(files()));
        try (TestServer server = new TestServer(connectors::http).start(outside);
                RawClient client = server.client()) {
            Answer answer = client.send(get("/image.jpg", accept)).answer();
            assertArrayEquals(image, answer.body());
            assertEquals("SHOWN", way(answer));
            assertNull(answer.headers().get("Content-Encoding"), "it still goes past the compression");
            assertEquals(300_000, outside.bytes.get());
        }
    }

    @Test
    void answersConditionalRequests() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        SendfileHandler files = files();
        files.setEtags(true);
        files.setCacheControl("max-age=60");
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            Answer whole = client.get("/file.bin").answer();
            String etag = whole.headers().get("ETag");
            Answer matched = client.send(get("/file.bin", "If-None-Match: \"other\", " + etag))
                    .answer();
            assertEquals(304, matched.status());
            assertEquals("max-age=60", matched.headers().get("Cache-Control"));
            assertEquals(
                    200,
                    client.send(get("/file.bin", "If-None-Match: \"other\""))
                            .answer()
                            .status());
            assertEquals(
                    412,
                    client.send(get("/file.bin", "If-Match: \"other\""))
                            .answer()
                            .status());
            assertEquals(
                    412,
                    client.send(get("/file.bin", "If-Unmodified-Since: Mon, 01 Jan 2001 00:00:00 GMT"))
                            .answer()
                            .status());
            assertEquals(
                    304,
                    client.send(get(
                                    "/file.bin",
                                    "If-Modified-Since: " + whole.headers().get("Last-Modified")))
                            .answer()
                            .status());
        }
    }

    @Test
    void sendsPrecompressedVariants() throws Exception {
        byte[] plain = TestFiles.write(directory, "file.js", 100_000);
        SendfileHandler files = files();
        files.setPrecompressedFormats(CompressedContentFormat.GZIP);
        files.getSettings().setValidMillis(0);
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            assertArrayEquals(
                    plain,
                    client.send(get("/file.js", "Accept-Encoding: gzip"))
                            .answer()
                            .body());
            byte[] variant = TestFiles.write(directory, "file.js.gz", 50_000);
            Answer answer =
                    client.send(get("/file.js", "Accept-Encoding: gzip")).answer();
            assertArrayEquals(variant, answer.body());
            assertEquals("gzip", answer.headers().get("Content-Encoding"));
            assertEquals("Accept-Encoding", answer.headers().get("Vary"));
            assertEquals("text/javascript", answer.headers().get("Content-Type"));
            assertEquals("GATHERED", way(answer));
            assertArrayEquals(plain, client.get("/file.js").answer().body());
            Answer beyond = client.send(get("/file.js", "Accept-Encoding: gzip", "Range: bytes=50000-"))
                    .answer();
            assertEquals(416, beyond.status());
            assertNull(beyond.headers().get("Content-Encoding"), beyond.text());
        }
    }

    @Test
    void tellsTheTagsOfAFileAndOfItsVariantsApart() throws Exception {
        TestFiles.write(directory, "file.js", 100_000);
        TestFiles.write(directory, "file.js.gz", 50_000);
        SendfileHandler files = files();
        files.setPrecompressedFormats(CompressedContentFormat.GZIP);
        files.setEtags(true);
        String accept = "Accept-Encoding: gzip";
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            String plain = client.get("/file.js").answer().headers().get("ETag");
            String variant =
                    client.send(get("/file.js", accept)).answer().headers().get("ETag");
            assertNotEquals(plain.replaceFirst("\"$", "--gzip\""), variant);
            for (String accepted : new String[] {accept, "Accept-Encoding: identity"}) {
                String own = accepted.equals(accept) ? variant : plain;
                String other = accepted.equals(accept) ? plain : variant;
                for (String range : new String[] {"X-Range: none", "Range: bytes=0-9,20-29"}) {
                    int whole = range.startsWith("Range") ? 206 : 200;
                    assertEquals(304, status(client, accepted, range, "If-None-Match: " + own));
                    assertEquals(whole, status(client, accepted, range, "If-Match: " + own));
                    assertEquals(whole, status(client, accepted, range, "If-None-Match: " + other));
                    assertEquals(412, status(client, accepted, range, "If-Match: " + other));
                }
            }
        }
    }

    private static int status(RawClient client, String... fields) throws Exception {
        return client.send(get("/file.js", fields)).answer().status();
    }

    @Test
    void servesWelcomeFilesAndListings() throws Exception {
        Files.createDirectories(directory.resolve("with"));
        Files.createDirectories(directory.resolve("without"));
        byte[] page = TestFiles.write(directory.resolve("with"), "index.html", 50_000);
        TestFiles.write(directory.resolve("without"), "listed.bin", 10);
        SendfileHandler files = files();
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            assertArrayEquals(page, client.get("/with/").answer().body());
            Answer redirect = client.get("/with").answer();
            assertEquals(302, redirect.status());
            assertTrue(redirect.headers().get("Location").endsWith("/with/"));
            assertTrue(client.get("/without/").answer().text().contains("listed.bin"));
            files.setDirAllowed(false);
            assertEquals(403, client.get("/without/").answer().status());
            files.setWelcomeMode(WelcomeMode.REDIRECT);
            assertTrue(client.get("/with/").answer().headers().get("Location").endsWith("/with/index.html"));
            files.setWelcomeMode(WelcomeMode.REHANDLE);
            assertArrayEquals(page, client.get("/with/").answer().body());
        }
    }

    @Test
    void answersOtherMethodsAsJettyDoes() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        SendfileHandler files = files();
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            Answer head = client.send(request("HEAD", "/file.bin")).answer("HEAD");
            assertEquals("100000", head.headers().get("Content-Length"));
            Answer options = client.send(request("OPTIONS", "/file.bin")).answer();
            assertEquals(200, options.status());
            assertTrue(
                    options.headers().get("Allow").contains("GET"),
                    options.headers().toString());
            assertEquals(
                    404,
                    client.send(request("POST", "/file.bin", "Content-Length: 0"))
                            .answer()
                            .status());
            files.setAcceptRanges(false);
            Answer whole = client.send(get("/file.bin", "Range: bytes=0-9")).answer();
            assertEquals(200, whole.status());
            assertEquals("none", whole.headers().get("Accept-Ranges"));
            assertFalse(whole.body().length < 100_000);
        }
    }
}
