package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.TransferResult.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Files that an application delegates by a response field. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class XSendfileHandlerTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final Map<String, String> fields = new TreeMap<>();
    private final BlockingQueue<TransferResult> results = new LinkedBlockingQueue<>();
    private final XSendfileHandler handler = new XSendfileHandler(application());
    private Path root;
    private byte[] bytes;
    private String body = "";
    private int status = 200;

    /** Answers what the test says. */
    private Handler application() {
        return Handlers.of((request, response, callback) -> {
            fields.forEach((name, value) -> response.getHeaders().put(name, value));
            response.setStatus(status);
            if (body == null) {
                callback.succeeded();
            } else {
                response.write(
                        false,
                        ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)),
                        Callback.from(() -> Content.Sink.write(response, true, "", callback), callback::failed));
            }
        });
    }

    @BeforeEach
    void files() throws Exception {
        root = Files.createDirectories(directory.resolve("root"));
        bytes = TestFiles.write(root, "file.bin", 1_000_000);
        TestFiles.write(directory, "secret.bin", 1000);
        handler.addRoot(root.toString());
        handler.addMapping("/protected/", root.toString());
        handler.addTransferListener(results::add);
        fields.put("X-Sendfile", root.resolve("file.bin").toString());
    }

    private TestServer server() throws Exception {
        return new TestServer(connectors::http).start(handler);
    }

    private static void assertStripped(Answer answer) {
        assertNull(answer.headers().get("X-Sendfile"));
        assertNull(answer.headers().get("X-Accel-Redirect"));
        assertNull(answer.headers().get("X-Download-Id"));
    }

    private TransferResult result() throws InterruptedException {
        TransferResult result = results.poll(30, TimeUnit.SECONDS);
        assertNotEquals(null, result, "no result");
        return result;
    }

    @Test
    void sendsTheFileUnderTheFieldsOfTheApplication() throws Exception {
        fields.putAll(Map.of(
                "Content-Type",
                "text/x-own;charset=utf-8",
                "Content-Disposition",
                "attachment; filename=a.txt",
                "Cache-Control",
                "private",
                "Set-Cookie",
                "a=b",
                "Expires",
                "Thu, 01 Jan 1970 00:00:00 GMT",
                "Content-Length",
                "6",
                "X-Download-Id",
                "number 5"));
        body = "ignored";
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer answer = client.get("/download/").answer();
            assertEquals(200, answer.status());
            assertArrayEquals(bytes, answer.body());
            assertStripped(answer);
            fields.forEach((name, value) -> assertTrue(
                    name.startsWith("X-")
                            || name.equals("Content-Length")
                            || value.equals(answer.headers().get(name)),
                    name + answer.headers()));
            TransferResult result = result();
            assertEquals("number 5", result.downloadId());
            assertEquals(Outcome.DONE, result.outcome());
            assertEquals(1_000_000, result.bytes());
            assertEquals(
                    "download_id=number+5&file_path=",
                    DownloadNotifier.form(result).substring(0, 31));
            assertEquals(1, handler.getSendfileContentFactory().getTransfers());
            byte[] replaced = TestFiles.write(root, "file.bin", 2000);
            assertArrayEquals(replaced, client.get("/").answer().body());
        }
    }

    @Test
    void sendsAFileByAUri() throws Exception {
        TestFiles.write(root, "with space.bin", 100);
        fields.remove("X-Sendfile");
        fields.put("X-Accel-Redirect", "/protected/with%20space.bin?ignored");
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer answer = client.get("/").answer();
            assertEquals(100, answer.body().length);
            assertStripped(answer);
            assertEquals("/protected/with%20space.bin?ignored", result().file());
        }
    }

    @Test
    void answersRangesConditionsAndHead() throws Exception {
        body = null;
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer range = client.send("GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=100-100099\r\n\r\n")
                    .answer();
            assertEquals(206, range.status());
            assertArrayEquals(Arrays.copyOfRange(bytes, 100, 100_100), range.body());
            assertEquals(100_000, result().bytes());
            Answer head = client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").answer("HEAD");
            assertEquals("1000000", head.headers().get("Content-Length"));
            assertEquals(0, result().bytes());
            Answer same = client.send("GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: "
                            + head.headers().get("ETag") + "\r\n\r\n")
                    .answer();
            assertEquals(304, same.status());
            assertEquals(304, result().status());
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nRange: bytes=0-9\r\n\r\n");
            Answer post = client.answer();
            assertEquals(200, post.status());
            assertArrayEquals(bytes, post.body());
            client.send("GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=0-99999,200000-300000\r\n\r\n");
            Answer parts = client.answer();
            assertEquals(206, parts.status());
            assertTrue(parts.headers().get("Content-Type").startsWith("multipart/byteranges"));
        }
    }

    @Test
    void takesTheFieldsOutAlsoWhenItIsOffOrTheResponseIsNone() throws Exception {
        body = "own body";
        fields.put("X-Download-Id", "1");
        try (TestServer server = server();
                RawClient client = server.client()) {
            handler.setEnabled(false);
            Answer off = client.get("/").answer();
            assertEquals("own body", off.text());
            assertStripped(off);
            handler.setEnabled(true);
            status = 403;
            Answer forbidden = client.get("/").answer();
            assertEquals(403, forbidden.status());
            assertEquals("own body", forbidden.text());
            assertStripped(forbidden);
        }
        assertTrue(results.isEmpty());
    }

    @Test
    void sendsNothingOfTheFileWhenTheApplicationFailsInTheEnd() throws Exception {
        AtomicReference<String> way = new AtomicReference<>();
        handler.setHandler(Handlers.of((request, response, callback) -> {
            response.getHeaders().put("X-Sendfile", root.resolve("file.bin").toString());
            Callback.Completable.with(written -> Content.Sink.write(response, false, "begin", written))
                    .get();
            switch (way.get()) {
                case "writeError" -> Response.writeError(request, response, callback, 500);
                case "fail" -> callback.failed(new IOException("meant"));
                case "throw" -> throw new IOException("meant");
                case "setStatus" -> {
                    response.setStatus(500);
                    // Again: nobody is to see where the file is.
                    response.getHeaders()
                            .put("X-Sendfile", root.resolve("file.bin").toString());
                    callback.succeeded();
                }
                default -> throw new IllegalArgumentException();
            }
        }));
        try (TestServer server = server()) {
            for (String each : List.of("writeError", "fail", "throw", "setStatus")) {
                way.set(each);
                try (RawClient client = server.client()) {
                    Answer answer = client.get("/").answer();
                    assertEquals(500, answer.status(), each);
                    assertTrue(answer.body().length < 10_000, each);
                    assertEquals(!each.equals("setStatus"), answer.text().contains("500"), each);
                    assertStripped(answer);
                }
            }
        }
        assertTrue(results.isEmpty());
    }

    @Test
    void takesTheFieldsOutOfInterimResponses() throws Exception {
        fields.put("X-Accel-Redirect", "/protected/file.bin");
        fields.put("X-Download-Id", "1");
        fields.put("Link", "</style.css>; rel=preload");
        Handler application = application();
        handler.setHandler(Handlers.around(application, (request, response, callback) -> {
            HttpFields.Mutable hints = HttpFields.build();
            fields.forEach(hints::put);
            response.writeInterim(103, hints).get(30, TimeUnit.SECONDS);
            return application.handle(request, response, callback);
        }));
        try (TestServer server = server();
                RawClient client = server.client()) {
            Answer hints = client.get("/").answer();
            assertEquals(103, hints.status());
            assertEquals(fields.get("Link"), hints.headers().get("Link"));
            assertStripped(hints);
            assertArrayEquals(bytes, client.answer().body());
        }
    }

    @Test
    void tellsThatTheClientWent() throws Exception {
        TestFiles.write(root, "file.bin", 40_000_000);
        try (TestServer server = server()) {
            try (RawClient client = new RawClient(server.port(), 8192)) {
                client.get("/");
                assertNotEquals(-1, client.read());
            }
            TransferResult result = result();
            assertEquals(Outcome.CLIENT_GONE, result.outcome());
            assertTrue(result.bytes() < 40_000_000, "bytes " + result.bytes());
            assertTrue(DownloadNotifier.form(result).contains("&result=420&"), DownloadNotifier.form(result));
        }
    }

    @Test
    void tellsThatTheClientTookTooLong() throws Exception {
        TestFiles.write(root, "file.bin", 40_000_000);
        try (TestServer server = server();
                RawClient client = new RawClient(server.port(), 8192)) {
            client.get("/");
            assertNotEquals(-1, client.read());
            // Not before: a server that is slow to begin would be idle too.
            Await.until("content has come", () -> client.available() > 1000);
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(300));
            TransferResult result = result();
            assertEquals(Outcome.TIMED_OUT, result.outcome());
            assertTrue(result.bytes() > 0 && result.bytes() < 40_000_000, "bytes " + result.bytes());
        }
    }

    @Test
    void letsFilesOfTheApplicationGoByTheKernel() throws Exception {
        SendfileHandler files = Handlers.files(root);
        handler.setHandler(files);
        try (TestServer server = server();
                RawClient client = server.client()) {
            assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            assertEquals(1, files.getSendfileContentFactory().getTransfers());
            assertFalse(client.get("/none").answer().headers().containsKey(HttpHeader.ETAG.asString()));
        }
    }

    // Jetty cuts the tag of a file at its last hyphen.
    @Test
    void theApplicationsEntityTagIsComparedWhole() throws Exception {
        fields.put("ETag", "\"abc-400\"");
        try (TestServer server = server();
                RawClient client = server.client()) {
            String get = "GET / HTTP/1.1\r\nHost: localhost\r\n";
            Answer same = client.send(get + "If-None-Match: \"x\", \"abc-400\"\r\n\r\n")
                    .answer();
            assertEquals(304, same.status());
            assertEquals("\"abc-400\"", same.headers().get("ETag"));
            assertEquals(
                    200,
                    client.send(get + "If-None-Match: \"abc\"\r\n\r\n").answer().status());
            assertEquals(
                    200,
                    client.send(get + "If-Match: \"abc-400\"\r\n\r\n").answer().status());
            assertEquals(
                    412,
                    client.send(get + "If-Match: \"abc-500\"\r\n\r\n").answer().status());
            Answer whole = client.send(get + "\r\n").answer();
            assertEquals("\"abc-400\"", whole.headers().get("ETag"));
            assertNull(whole.headers().get("Vary"));
        }
    }

    // Of a client's tag Jetty compares what stands before its last "--".
    @Test
    void entityTagsThatBeginAlikeAreOfTwoVersions() throws Exception {
        try (TestServer server = server();
                RawClient client = server.client()) {
            for (String tag : List.of("\"abc--2\"", "W/\"abc--2\"")) {
                fields.put("ETag", tag);
                String other = tag.replace('2', '1');
                Map<String, Integer> statuses = Map.of(
                        "If-None-Match: " + other, 200,
                        "If-None-Match: " + tag, 304,
                        "If-None-Match: " + other + ", " + tag, 304,
                        "If-None-Match: " + tag.replace("2", "2--gzip"), 304,
                        "If-Match: " + other, 412,
                        "If-Match: " + other + ", " + tag, 200);
                for (Map.Entry<String, Integer> expected : statuses.entrySet()) {
                    Answer answer = client.get("/", expected.getKey()).answer();
                    assertEquals(expected.getValue(), answer.status(), expected.getKey());
                    assertNotEquals(other, answer.headers().get("ETag"), expected.getKey());
                }
            }
        }
    }

    @Test
    void anEmptyEntityTagIsOneToo() throws Exception {
        try (TestServer server = server();
                RawClient client = server.client()) {
            for (String tag : List.of("\"\"", "W/\"\"", "\"", "\"\"\"", "W/")) {
                fields.put("ETag", tag);
                Answer answer = client.get("/").answer();
                assertEquals(200, answer.status(), tag);
                assertEquals(tag, answer.headers().get("ETag"));
            }
            fields.put("ETag", "\"\"");
            String get = "GET / HTTP/1.1\r\nHost: localhost\r\n";
            assertEquals(
                    304,
                    client.send(get + "If-None-Match: \"\"\r\n\r\n").answer().status());
            assertEquals(
                    200,
                    client.send(get + "If-None-Match: \"a\"\r\n\r\n").answer().status());
            assertEquals(
                    412, client.send(get + "If-Match: \"a\"\r\n\r\n").answer().status());
        }
    }
}
