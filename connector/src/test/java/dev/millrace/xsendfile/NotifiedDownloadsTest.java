package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.IdleTimeout;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What is posted about real downloads that end well, or in the middle. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
@Timeout(60)
class NotifiedDownloadsTest {
    /** Much more than the sockets of both sides hold. */
    private static final int SIZE = 60_000_000;

    private static final int SHORTER = 30_000_000;
    private static final int IDLE_MILLIS = 300;
    private static final int STANDSTILL_MILLIS = 50;
    private static final int LONG_IDLE_MILLIS = 1500;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final TestServer destination = new TestServer(Connectors.NIO::http);
    private final XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
        response.getHeaders().put("X-Sendfile", directory + Request.getPathInContext(request));
        response.getHeaders().put("X-Download-Id", "my & own");
        callback.succeeded();
    }));

    @BeforeEach
    void servers() throws Exception {
        Files.write(directory.resolve("file.bin"), new byte[SIZE]);
        destination.start(Handlers.of((request, response, callback) -> {
            received.add(Content.Source.asString(request));
            callback.succeeded();
        }));
        handler.addRoot(directory.toString());
        DownloadNotifier notifier = new DownloadNotifier("http://127.0.0.1:" + destination.port() + "/results");
        // However slow the machine is: what is posted again would count twice.
        notifier.setTimeoutMillis(30_000);
        handler.addTransferListener(notifier);
    }

    @AfterEach
    void stop() throws Exception {
        destination.close();
        assertEquals(0, received.size(), "one post for a download");
    }

    private TestServer server() throws Exception {
        return new TestServer(connectors::http).start(handler);
    }

    private TestServer server(Tls tls) throws Exception {
        return new TestServer(s -> connectors.https(s, tls)).start(handler);
    }

    /** Has begun to receive the file, and takes nothing more until it is told to. */
    private static RawClient begun(TestServer server) throws IOException {
        return begun(new RawClient(server.port(), 8192));
    }

    private static RawClient begun(TestServer server, Tls tls) throws Exception {
        return begun(tls.over(new RawClient(server.port(), 8192).socket()));
    }

    private static RawClient begun(RawClient client) throws IOException {
        client.get("/file.bin");
        assertEquals("HTTP/1.1 200 OK", client.line());
        return client;
    }

    private static EndPoint endPoint(TestServer server) {
        return server.connector().getConnectedEndPoints().iterator().next();
    }

    private static EndPoint awaitStandstill(TestServer server) {
        EndPoint endPoint = endPoint(server);
        Await.until("the server waits for its client", () -> ((IdleTimeout) endPoint).getIdleFor() > STANDSTILL_MILLIS);
        return endPoint;
    }

    private Map<String, String> post() throws InterruptedException {
        String form = received.poll(30, TimeUnit.SECONDS);
        assertNotNull(form, "no post");
        Map<String, String> fields = new TreeMap<>();
        for (String field : form.split("&")) {
            int equals = field.indexOf('=');
            fields.put(
                    field.substring(0, equals), URLDecoder.decode(field.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return fields;
    }

    private void assertPosted(String name, String result) throws InterruptedException {
        Map<String, String> post = post();
        assertTrue(Long.parseLong(post.remove("speed")) >= 0);
        assertEquals(Map.of("download_id", "my & own", "file_path", directory + "/" + name, "result", result), post);
    }

    @Test
    void aDownloadThatIsComplete() throws Exception {
        try (TestServer server = server();
                RawClient client = server.client()) {
            assertEquals(SIZE, client.get("/file.bin").answer().body().length);
            assertPosted("file.bin", "200");
            client.send("GET /file.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=1000-99999\r\n\r\n");
            assertEquals(99_000, client.answer().body().length);
            assertPosted("file.bin", "200");
            assertEquals(404, client.get("/none.bin").answer().status());
            assertPosted("none.bin", "404");
        }
    }

    @Test
    void aClientThatGoesInTheMiddle() throws Exception {
        try (TestServer server = server()) {
            begun(server).close();
            assertPosted("file.bin", "420");
        }
    }

    @Test
    void aClientThatGoesWhileTheServerWaitsForIt() throws Exception {
        try (TestServer server = server()) {
            try (RawClient ignored = begun(server)) {
                awaitStandstill(server);
            }
            assertPosted("file.bin", "420");
        }
    }

    @Test
    void aClientThatTakesNothing() throws Exception {
        try (TestServer server = server();
                RawClient ignored = begun(server)) {
            // Not before: a client that has not asked yet would be idle too.
            awaitStandstill(server).setIdleTimeout(IDLE_MILLIS);
            assertPosted("file.bin", "421");
        }
    }

    @Test
    void aClientThatTakesNothingOverTls() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = server(tls);
                RawClient ignored = begun(server, tls)) {
            awaitStandstill(server).setIdleTimeout(IDLE_MILLIS);
            assertPosted("file.bin", "421");
        }
    }

    /** TLS hears nothing after the request: what is written then keeps the socket alone from being idle. */
    @Test
    void aClientThatTakesMuchForLongOverTlsAndGoes() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = server(tls)) {
            try (RawClient client = begun(server, tls)) {
                EndPoint endPoint = endPoint(server);
                IdleTimeout encrypted = ((SslConnection) endPoint.getConnection()).getSslEndPoint();
                Await.until("TLS has heard nothing for long", () -> {
                    take(client, 2000);
                    return encrypted.getIdleFor() > LONG_IDLE_MILLIS;
                });
                endPoint.setIdleTimeout(LONG_IDLE_MILLIS);
            }
            assertPosted("file.bin", "420");
        }
    }

    private static void take(RawClient client, int bytes) {
        try {
            assertEquals(bytes, client.in().readNBytes(bytes).length);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @Test
    void aFileThatBecomesShorter() throws Exception {
        try (TestServer server = server();
                RawClient client = begun(server)) {
            TestFiles.resize(directory.resolve("file.bin"), SHORTER);
            client.in().transferTo(OutputStream.nullOutputStream());
            assertPosted("file.bin", "500");
        }
    }
}
