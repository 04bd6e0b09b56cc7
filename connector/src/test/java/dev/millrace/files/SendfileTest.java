package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Files over the connectors of Millrace: which way they went, and that the bytes are right whichever way. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class SendfileTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private static long obstacles(SendfileHandler files, Obstacle obstacle) {
        return files.getSendfileContentFactory().getObstacles().get(obstacle.name());
    }

    @Test
    void sendsAFileByTheKernel() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 5_000_001);
        SendfileHandler files = Handlers.files(directory);
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            for (int i = 0; i < 3; i++) {
                Answer answer = client.get("/file.bin").answer();
                assertEquals(200, answer.status());
                assertArrayEquals(bytes, answer.body());
            }
            // Counted when the call has returned, and the client may have the bytes before that.
            Await.until(
                    "all counted",
                    () -> server.transfers().getTransferredBytes()
                                    + server.transfers().getCopiedBytes()
                            > 3 * 5_000_001L);
            if (connectors != Connectors.BIO_VIRTUAL) {
                // The headers, which are counted first, may stand for the last bytes of a file in that sum.
                Await.until("the last, too", () -> server.transfers().getTransferredBytes() >= 3 * 5_000_001L);
            }
            long sent = server.transfers().getTransferredBytes();
            long copied = server.transfers().getCopiedBytes();
            assertEquals(3, server.transfers().getRegions());
            if (connectors == Connectors.BIO_VIRTUAL) {
                // A full socket is waited for by writing a block: most, but not all, goes by transferTo.
                assertTrue(sent > 3 * 4_000_000L, "transferred " + sent + ", copied " + copied);
            } else {
                assertEquals(3 * 5_000_001L, sent);
                assertTrue(copied < 3 * 1000, "copied " + copied);
            }
        }
    }

    @Test
    void sendsARangeByTheKernel() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 300_000);
        SendfileHandler files = Handlers.files(directory);
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            client.send("GET /file.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=100001-250000\r\n\r\n");
            Answer answer = client.answer();
            assertEquals(206, answer.status());
            assertEquals("bytes 100001-250000/300000", answer.headers().get("Content-Range"));
            assertArrayEquals(Arrays.copyOfRange(bytes, 100001, 250001), answer.body());
            Await.until("counted", () -> server.transfers().getTransferredBytes() > 100_000);
            assertEquals(404, client.get("/none").answer().status());
        }
    }

    @Test
    void sendsPipelinedFilesInOrder() throws Exception {
        byte[] small = TestFiles.write(directory, "small.bin", 100);
        byte[] large = TestFiles.write(directory, "large.bin", 700_000);
        try (TestServer server = new TestServer(connectors::http).start(Handlers.files(directory));
                RawClient client = server.client()) {
            for (int i = 0; i < 5; i++) {
                client.get("/large.bin").get("/small.bin");
            }
            for (int i = 0; i < 5; i++) {
                assertArrayEquals(large, client.answer().body());
                assertArrayEquals(small, client.answer().body());
            }
        }
    }

    @Test
    void answersHeadAndConditionalRequestsWithoutBytes() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        try (TestServer server = new TestServer(connectors::http).start(Handlers.files(directory));
                RawClient client = server.client()) {
            Answer head = client.send("HEAD /file.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .answer("HEAD");
            assertEquals("100000", head.headers().get("Content-Length"));
            Answer again = client.send("GET /file.bin HTTP/1.1\r\nHost: localhost\r\nIf-Modified-Since: "
                            + head.headers().get("Last-Modified") + "\r\n\r\n")
                    .answer();
            assertEquals(304, again.status());
            assertEquals(0, server.transfers().getRegions());
        }
    }

    @Test
    void copiesOverTls() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 2_000_000);
        Tls keys = new Tls();
        SendfileHandler files = Handlers.files(directory);
        try (TestServer server = new TestServer(s -> connectors.https(s, keys)).start(files);
                RawClient client = keys.connect(server.port())) {
            assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            assertEquals(0, server.transfers().getRegions());
            assertEquals(1, obstacles(files, Obstacle.END_POINT));
        }
    }

    @Test
    void copiesOverHttp2() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 2_000_000);
        SendfileHandler files = Handlers.files(directory);
        // Not by the JDK's client: it asks for an upgrade, and may lose what comes right behind the answer to that.
        try (TestServer server = new TestServer(connectors::httpAndHttp2).start(files);
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            for (int i = 1; i <= 2; i++) {
                assertArrayEquals(bytes, frames.get("/file.bin").contentBytes());
                assertEquals(i, obstacles(files, Obstacle.PROTOCOL));
            }
            assertEquals(0, server.transfers().getRegions());
        }
    }

    @Test
    void copiesWhenTheAnswerIsChunked() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 2_000_000);
        SendfileHandler files = Handlers.files(directory);
        Handler chunked = Handlers.around(files, (request, response, callback) -> {
            HttpContent content = files.getHttpContentFactory().getContent("/file.bin");
            content.writeTo(response, 0, -1, callback);
            return true;
        });
        try (TestServer server = new TestServer(connectors::http).start(chunked);
                RawClient client = server.client()) {
            Answer answer = client.get("/").answer();
            assertEquals("chunked", answer.headers().get("Transfer-Encoding"));
            assertArrayEquals(bytes, answer.body());
            assertEquals(0, server.transfers().getRegions());
            assertEquals(1, obstacles(files, Obstacle.LENGTH));
        }
    }

    @Test
    void copiesWhenTheResponseIsWrapped() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 200_000);
        SendfileHandler files = Handlers.files(directory);
        Handler inverting = Handlers.around(
                files,
                (request, response, callback) -> files.handle(request, new Inverted(request, response), callback));
        try (TestServer server = new TestServer(connectors::http).start(inverting);
                RawClient client = server.client()) {
            byte[] body = client.get("/file.bin").answer().body();
            for (int i = 0; i < bytes.length; i++) {
                assertEquals((byte) ~bytes[i], body[i]);
            }
            assertEquals(0, server.transfers().getRegions());
            assertEquals(1, obstacles(files, Obstacle.WRAPPED));
        }
    }

    /** Changes every byte. */
    private static final class Inverted extends Response.Wrapper {
        private Inverted(Request request, Response wrapped) {
            super(request, wrapped);
        }

        @Override
        public void write(boolean last, ByteBuffer bytes, Callback callback) {
            ByteBuffer inverted = ByteBuffer.allocate(bytes == null ? 0 : bytes.remaining());
            while (bytes != null && bytes.hasRemaining()) {
                inverted.put((byte) ~bytes.get());
            }
            super.write(last, inverted.flip(), callback);
        }
    }

    @Test
    void abortsWhenTheFileIsTruncatedMeanwhile() throws Exception {
        Path file = directory.resolve("file.bin");
        byte[] bytes = TestFiles.write(directory, "file.bin", 40_000_000);
        try (TestServer server = new TestServer(connectors::http).start(Handlers.files(directory));
                RawClient client = new RawClient(server.port(), 8192)) {
            client.get("/file.bin");
            while (!client.line().isEmpty()) {
                // The head has arrived: the transfer is under way, and the socket will not take it all.
            }
            assertEquals(bytes[0], (byte) client.read());
            TestFiles.resize(file, 20_000_000);
            int received = 1 + readToEnd(client, bytes, 1);
            assertTrue(received <= 20_000_000, "received " + received);
            Await.until("counted", () -> server.transfers().getTruncations() == 1);
            server.awaitNoEndPoints();
        }
    }

    private static int readToEnd(RawClient client, byte[] expected, int from) {
        int at = from;
        byte[] piece = new byte[65536];
        try {
            for (int n = client.in().read(piece); n >= 0; n = client.in().read(piece)) {
                assertArrayEquals(Arrays.copyOfRange(expected, at, at + n), Arrays.copyOf(piece, n), "at " + at);
                at += n;
            }
        } catch (IOException reset) {
            // The end that an aborted answer has.
        }
        return at - from;
    }

    @Test
    void sendsAReplacedFileWithItsOwnHeaders() throws Exception {
        byte[] first = TestFiles.write(directory, "file.bin", 100_000);
        SendfileHandler files = Handlers.files(directory);
        files.getSettings().setValidMillis(0);
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            assertArrayEquals(first, client.get("/file.bin").answer().body());
            byte[] second = TestFiles.write(directory, "other.bin", 90_000);
            Files.move(
                    directory.resolve("other.bin"),
                    directory.resolve("file.bin"),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            Answer answer = client.get("/file.bin").answer();
            assertEquals("90000", answer.headers().get("Content-Length"));
            assertArrayEquals(second, answer.body());
        }
    }

    @Test
    void sendsAFileLargerThanABuffer() throws Exception {
        long size = 5L << 30;
        try (RandomAccessFile sparse =
                new RandomAccessFile(directory.resolve("sparse.bin").toFile(), "rw")) {
            sparse.setLength(size);
            sparse.seek((3L << 30) - 3);
            sparse.writeBytes("border");
        }
        try (TestServer server = new TestServer(connectors::http).start(Handlers.files(directory));
                RawClient client = server.client()) {
            Answer head = client.send("HEAD /sparse.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .answer("HEAD");
            assertEquals(Long.toString(size), head.headers().get("Content-Length"));
            long from = (3L << 30) - 100_000;
            Answer range = client.send("GET /sparse.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=" + from + "-"
                            + (from + 199_999) + "\r\n\r\n")
                    .answer();
            assertEquals(206, range.status());
            assertEquals("border", new String(range.body(), 99_997, 6, StandardCharsets.UTF_8));
            assertEquals(2, server.transfers().getRegions());
        }
    }

    @Test
    void endsATransferThatThePeerDoesNotTake() throws Exception {
        TestFiles.write(directory, "file.bin", 40_000_000);
        try (TestServer server = new TestServer(connectors::http).start(Handlers.files(directory));
                RawClient client = new RawClient(server.port(), 8192)) {
            client.get("/file.bin");
            assertNotEquals(-1, client.read());
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(400));
            server.awaitNoEndPoints();
        }
    }

    @Test
    void keepsJettysHeaders() throws Exception {
        TestFiles.write(directory, "page.html", 50_000);
        SendfileHandler files = Handlers.files(directory);
        files.setEtags(true);
        files.setCacheControl("max-age=60");
        try (TestServer server = new TestServer(connectors::http).start(files);
                RawClient client = server.client()) {
            Answer answer = client.get("/page.html").answer();
            assertEquals("text/html", answer.headers().get("Content-Type"));
            assertEquals("max-age=60", answer.headers().get(HttpHeader.CACHE_CONTROL.asString()));
            assertEquals("bytes", answer.headers().get("Accept-Ranges"));
            assertTrue(answer.headers().containsKey("ETag"));
        }
    }
}
