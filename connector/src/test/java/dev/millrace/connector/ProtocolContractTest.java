package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Renegotiating;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.OptionalSslConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What lies above or before HTTP/1.1: TLS, HTTP/2, detection. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class ProtocolContractTest {
    @Parameter
    Connectors connectors;

    private final HttpConfiguration configuration = new HttpConfiguration();
    private final HttpConnectionFactory http = new HttpConnectionFactory(configuration);

    /** Answers with what it gets: protocol, peer and path for a GET, the body, as it comes, for a POST. */
    private final Handler mirror = Handlers.of((request, response, callback) -> {
        if (request.getMethod().equals("POST")) {
            Content.copy(request, response, callback);
        } else {
            String peer = Request.getRemoteAddr(request);
            Content.Sink.write(
                    response,
                    true,
                    request.getConnectionMetaData().getHttpVersion() + " " + peer + " "
                            + Request.getPathInContext(request),
                    callback);
        }
    });

    private TestServer server(ConnectionFactory... factories) throws Exception {
        return new TestServer(server -> connectors.on(server, factories)).start(mirror);
    }

    @Test
    void speaksTls() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = server(connectors.tls(tls.server(), "http/1.1"), http);
                RawClient client = tls.connect(server.port())) {
            for (int i = 0; i < 5; i++) {
                assertEquals(
                        "HTTP/1.1 127.0.0.1 /" + i, client.get("/" + i).answer().text());
            }
            byte[] body = RandomBytes.of(300_000);
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length + "\r\n\r\n");
            CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> send(client, body));
            assertArrayEquals(body, client.answer().body());
            sent.get(30, TimeUnit.SECONDS);
            assertEquals(
                    "HTTP/1.1 127.0.0.1 /last", client.get("/last").answer().text());
        }
    }

    /** Waits until so much has been read, and somebody waits for more. */
    private static void awaitRead(TestServer server, long bytes) {
        EndPoint encrypted =
                server.connector().getConnectedEndPoints().iterator().next();
        Connection decrypted =
                ((SslConnection) encrypted.getConnection()).getSslEndPoint().getConnection();
        Await.until("waits behind " + bytes, () -> decrypted.getBytesIn() == bytes && encrypted.isFillInterested());
    }

    @Test
    void readsABodyThatArrivesInPiecesInsideTls() throws Exception {
        String head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\n";
        Tls tls = new Tls();
        TestServer reading = new TestServer(s -> connectors.https(s, tls));
        try (TestServer server = reading.start(Handlers.wholeContent());
                RawClient client = tls.connect(server.port())) {
            for (int round = 0; round < 3; round++) {
                long before = round * (head.length() + 6L) + head.length();
                client.send(head + "ab");
                awaitRead(server, before + 2);
                client.send("cd");
                awaitRead(server, before + 4);
                assertEquals("abcdef", client.send("ef").answer().text());
            }
            if (server.connector() instanceof BioConnector bio) {
                assertTrue(bio.getConnectorStatistics().getHandOvers() >= 6, bio.getConnectorStatistics()::toString);
            }
        }
    }

    @Test
    void readsARequestThatIsSplitAnywhereInsideTls() throws Exception {
        String request =
                "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
        Tls tls = new Tls();
        try (TestServer server = server(connectors.tls(tls.server(), "http/1.1"), http);
                RawClient client = tls.connect(server.port())) {
            long before = 0;
            for (int split = 1; split < request.length(); split++) {
                client.send(request.substring(0, split));
                awaitRead(server, before + split);
                assertEquals(
                        "hello", client.send(request.substring(split)).answer().text());
                before += request.length();
            }
        }
    }

    private static void send(RawClient client, byte[] body) {
        try {
            client.send(body);
        } catch (java.io.IOException x) {
            throw new java.io.UncheckedIOException(x);
        }
    }

    @Test
    void writesWhatHasToWaitForAHandshake() throws Exception {
        Tls tls = new Tls();
        SslConnectionFactory ssl = Renegotiating.over(connectors, tls);
        try (TestServer server = new TestServer(s -> connectors.on(s, ssl, http)).start(new Renegotiating());
                RawClient client = tls.connect(server.port())) {
            AtomicInteger handshakes = new AtomicInteger();
            ((SSLSocket) client.socket()).addHandshakeCompletedListener(event -> handshakes.incrementAndGet());
            for (int i = 0; i < 3; i++) {
                assertEquals("again", client.get("/").answer().text());
            }
            Await.until("three more handshakes", () -> handshakes.get() == 3);
        }
    }

    @Test
    void endsAnIdleTlsConnection() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = server(connectors.tls(tls.server(), "http/1.1"), http);
                RawClient client = tls.connect(server.port());
                RawClient silent = server.client()) {
            assertEquals("HTTP/1.1 127.0.0.1 /", client.get("/").answer().text());
            server.awaitEndPoints(2);
            // Not before the handshake, which may take longer in a JVM that has just begun.
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(300));
            assertEquals(-1, client.read());
            assertEquals(-1, silent.read());
            server.awaitNoEndPoints();
        }
    }

    @Test
    void speaksHttp2OverTls() throws Exception {
        Tls tls = new Tls();
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
        alpn.setDefaultProtocol("http/1.1");
        HTTP2ServerConnectionFactory http2 = new HTTP2ServerConnectionFactory(configuration);
        try (TestServer server = server(connectors.tls(tls.server(), "alpn"), alpn, http2, http)) {
            HttpClient client = HttpClient.newBuilder()
                    .sslContext(tls.client())
                    .version(HttpClient.Version.HTTP_2)
                    .build();
            multiplex(client, "https://localhost:" + server.port(), HttpClient.Version.HTTP_2);
            HttpClient older = HttpClient.newBuilder()
                    .sslContext(tls.client())
                    .version(HttpClient.Version.HTTP_1_1)
                    .build();
            multiplex(older, "https://localhost:" + server.port(), HttpClient.Version.HTTP_1_1);
        }
    }

    @Test
    void upgradesToHttp2() throws Exception {
        // By hand: the JDK's client may lose what comes at once behind the answer to its upgrade.
        HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(configuration);
        // The client sends all that it has, whatever the windows are.
        http2.setInitialSessionRecvWindow(32_000_000);
        http2.setInitialStreamRecvWindow(8_000_000);
        try (TestServer server = server(http, http2);
                RawClient client = server.client()) {
            client.send("GET /first HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                    + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n");
            assertEquals("HTTP/1.1 101 Switching Protocols", client.line());
            while (!client.line().isEmpty()) {
                // Fields.
            }
            Http2Frames frames = Http2Frames.upgraded(client).openWindows();
            assertEquals("HTTP/2.0 127.0.0.1 /first", frames.content());
            byte[] body = RandomBytes.of(4_000_000);
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> post(frames, 4, body), task -> new Thread(task).start());
            Collection<byte[]> answers = frames.contents(4).values();
            sent.get(30, TimeUnit.SECONDS);
            answers.forEach(answer -> assertArrayEquals(body, answer));
        }
    }

    private static void post(Http2Frames frames, int times, byte[] body) {
        try {
            for (int i = 0; i < times; i++) {
                frames.post("/", body);
            }
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @Test
    void speaksHttp2ByPriorKnowledge() throws Exception {
        try (TestServer server = server(http, new HTTP2CServerConnectionFactory(configuration));
                RawClient client = server.client()) {
            assertEquals(
                    "HTTP/2.0 127.0.0.1 /", new Http2Frames(client).get("/").content());
        }
    }

    // Both directions carry more than the socket buffers hold: an end that reads only after it has written stops for
    // ever.
    private static void multiplex(HttpClient client, String base, HttpClient.Version version) throws Exception {
        HttpResponse<String> first = client.send(
                HttpRequest.newBuilder(URI.create(base + "/first")).build(), HttpResponse.BodyHandlers.ofString());
        assertTrue(first.body().endsWith(" /first"), first.body());
        assertEquals(version, first.version());
        List<CompletableFuture<HttpResponse<byte[]>>> answers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            answers.add(client.sendAsync(
                    HttpRequest.newBuilder(URI.create(base + "/" + i))
                            .POST(HttpRequest.BodyPublishers.ofByteArray(RandomBytes.of(4_000_000 + i)))
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray()));
        }
        for (int i = 0; i < answers.size(); i++) {
            assertArrayEquals(
                    RandomBytes.of(4_000_000 + i),
                    answers.get(i).get(30, TimeUnit.SECONDS).body());
        }
    }

    @Test
    void detectsTls() throws Exception {
        Tls tls = new Tls();
        SslConnectionFactory ssl = connectors.tls(tls.server(), "http/1.1");
        try (TestServer server = server(new DetectorConnectionFactory(ssl), http);
                RawClient secure = tls.connect(server.port());
                RawClient plain = server.client()) {
            assertEquals("HTTP/1.1 127.0.0.1 /", secure.get("/").answer().text());
            assertEquals("HTTP/1.1 127.0.0.1 /", plain.get("/").answer().text());
        }
    }

    @Test
    @SuppressWarnings({"deprecation", "removal"})
    void takesTlsAsAnOption() throws Exception {
        Tls tls = new Tls();
        SslConnectionFactory ssl = connectors.tls(tls.server(), "http/1.1");
        try (TestServer server = server(new OptionalSslConnectionFactory(ssl, "http/1.1"), ssl, http);
                RawClient secure = tls.connect(server.port());
                RawClient plain = server.client()) {
            assertEquals("HTTP/1.1 127.0.0.1 /", secure.get("/").answer().text());
            assertEquals("HTTP/1.1 127.0.0.1 /", plain.get("/").answer().text());
        }
    }

    /** As who measures or traces does it. */
    @Test
    void letsAFactoryWrapTheEndPoint() throws Exception {
        HttpConnectionFactory wrapping = new HttpConnectionFactory() {
            @Override
            public Connection newConnection(Connector connector, EndPoint endPoint) {
                return super.newConnection(connector, wrap(endPoint));
            }
        };
        try (TestServer server = server(wrapping);
                RawClient client = server.client()) {
            for (int i = 0; i < 2; i++) {
                assertEquals(
                        "HTTP/1.1 127.0.0.1 /" + i, client.get("/" + i).answer().text());
            }
        }
    }

    private static EndPoint wrap(EndPoint endPoint) {
        Class<?>[] types = {EndPoint.class, EndPoint.Wrapper.class};
        return (EndPoint) Proxy.newProxyInstance(
                ProtocolContractTest.class.getClassLoader(), types, (proxy, method, arguments) -> {
                    if (method.getName().equals("unwrap")) {
                        return endPoint;
                    }
                    try {
                        return method.invoke(endPoint, arguments);
                    } catch (InvocationTargetException x) {
                        throw x.getCause();
                    }
                });
    }

    @Test
    void echoesInBothDirectionsAtOnce() throws Exception {
        byte[] body = RandomBytes.of(20_000_000);
        try (TestServer server = server(http);
                RawClient client = server.client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length + "\r\n\r\n");
            CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> send(client, body));
            assertArrayEquals(body, client.answer().body());
            sent.get(30, TimeUnit.SECONDS);
        }
    }
}
