package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** HTTP/1.1 over every connector: what a client sees must be the same. Over TLS, too: {@link HttpsContractTest}. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
class HttpContractTest {
    @Parameter
    Connectors connectors;

    private final BlockingQueue<Integer> progress = new LinkedBlockingQueue<>();
    private TestServer server;

    TestServer server() {
        return new TestServer(connectors::http);
    }

    RawClient client(int port) throws Exception {
        return new RawClient(port);
    }

    private RawClient client() throws Exception {
        return client(server.port());
    }

    /** What Jetty counts for each that a client opens. */
    int connections() {
        return 1;
    }

    int manyClients() {
        return 200;
    }

    void assertHandOvers(int expected, long handOvers) {
        assertEquals(expected, handOvers);
    }

    @BeforeEach
    void start() throws Exception {
        server = server();
        // A client that does not fit into the system's queue comes again after a second.
        server.connector().setAcceptQueueSize(1000);
        server.start(echo);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    /** Answers the body of the request, or its path when it has none; tells how far it has read. */
    private final Handler echo = Handlers.of((request, response, callback) -> {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
        if (request.getMethod().equals("POST")
                && !Request.getPathInContext(request).equals("/unread")) {
            byte[] body = read(request);
            response.write(true, java.nio.ByteBuffer.wrap(body), callback);
        } else {
            Content.Sink.write(response, true, Request.getPathInContext(request), callback);
        }
    });

    private byte[] read(Request request) throws Exception {
        var body = new java.io.ByteArrayOutputStream();
        try (var in = Content.Source.asInputStream(request)) {
            byte[] piece = new byte[4096];
            for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                body.write(piece, 0, n);
                progress.add(body.size());
            }
        }
        return body.toByteArray();
    }

    private void awaitProgress(int bytes) throws InterruptedException {
        for (int read = -1; read != bytes; ) {
            Integer next = progress.poll(30, TimeUnit.SECONDS);
            assertTrue(next != null, "the handler never read " + bytes + " bytes, only " + read);
            read = next;
        }
    }

    @Test
    void keepsTheConnection() throws Exception {
        try (RawClient client = client()) {
            for (int i = 0; i < 5; i++) {
                Answer answer = client.get("/" + i).answer();
                assertEquals(200, answer.status());
                assertEquals("/" + i, answer.text());
            }
        }
        server.awaitNoEndPoints();
    }

    @Test
    void answersPipelinedRequestsInOrder() throws Exception {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            requests.append("GET /").append(i).append(" HTTP/1.1\r\nHost: localhost\r\n\r\n");
        }
        try (RawClient client = client()) {
            client.send(requests.toString());
            for (int i = 0; i < 100; i++) {
                assertEquals("/" + i, client.answer().text());
            }
        }
    }

    @Test
    void answersPipelinedRequestsWithBodies() throws Exception {
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            requests.append("POST /")
                    .append(i)
                    .append(" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n")
                    .append(100 + i);
        }
        try (RawClient client = client()) {
            client.send(requests.toString());
            for (int i = 0; i < 20; i++) {
                assertEquals(Integer.toString(100 + i), client.answer().text());
            }
        }
    }

    /** Waits until the handler has read so much, and waits for more. */
    private void awaitWaiting(int bytes) throws InterruptedException {
        awaitProgress(bytes);
        Await.until(
                "waits for content",
                () -> server.connector().getConnectedEndPoints().stream().allMatch(EndPoint::isFillInterested));
    }

    @Test
    void readsABodyThatArrivesInPieces() throws Exception {
        try (RawClient client = client()) {
            for (int round = 0; round < 3; round++) {
                client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\nab");
                awaitWaiting(2);
                client.send("cd");
                awaitWaiting(4);
                client.send("ef");
                assertEquals("abcdef", client.answer().text());
            }
            if (server.connector() instanceof BioConnector bio) {
                assertHandOvers(6, bio.getConnectorStatistics().getHandOvers());
            }
        }
    }

    @Test
    void readsAChunkedBodyThatArrivesInPieces() throws Exception {
        try (RawClient client = client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r");
            awaitWaiting(2);
            client.send("\n3\r\ncde\r\n");
            awaitWaiting(5);
            client.send("0\r\n\r\n");
            assertEquals("abcde", client.answer().text());
            assertEquals("/next", client.get("/next").answer().text());
        }
    }

    @Test
    void readsABodyLargerThanEveryBuffer() throws Exception {
        byte[] body = new byte[3_000_000];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) ((i * 31) >> 3);
        }
        try (RawClient client = client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length + "\r\n\r\n");
            client.send(body);
            assertArrayEquals(body, client.answer().body());
        }
    }

    @Test
    void readsAHeadThatArrivesByteByByte() throws Exception {
        byte[] request =
                "GET /slow HTTP/1.1\r\nHost: localhost\r\nX-Other: value\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        try (RawClient client = client()) {
            for (byte b : request) {
                client.send(new byte[] {b});
            }
            assertEquals("/slow", client.answer().text());
        }
    }

    @Test
    void readsAHeadLargerThanTheReadAhead() throws Exception {
        String cookie = "c".repeat(6000);
        try (RawClient client = client()) {
            client.send("GET /large HTTP/1.1\r\nHost: localhost\r\nCookie: a=" + cookie + "\r\n\r\n");
            assertEquals("/large", client.answer().text());
            assertEquals("/small", client.get("/small").answer().text());
        }
    }

    /** Longer from one to the next, and shorter again: a blocking connector's buffer for what it reads ahead grows with them. */
    @Test
    void readsHeadsOfAllLengthsOnOneConnection() throws Exception {
        try (RawClient client = client()) {
            for (int length : new int[] {1, 60, 61, 62, 63, 64, 128, 200, 256, 400, 512, 1000, 511, 30, 2000, 1}) {
                String cookie = "c".repeat(length);
                client.send("GET /" + length + " HTTP/1.1\r\nHost: localhost\r\nCookie: a=" + cookie + "\r\n\r\n");
                assertEquals("/" + length, client.answer().text());
            }
        }
    }

    @Test
    void answersHeadWithoutABody() throws Exception {
        try (RawClient client = client()) {
            Answer head =
                    client.send("HEAD /12 HTTP/1.1\r\nHost: localhost\r\n\r\n").answer("HEAD");
            assertEquals(200, head.status());
            assertEquals("3", head.headers().get("Content-Length"));
            assertEquals("/next", client.get("/next").answer().text());
        }
    }

    @Test
    void continuesAnExpectation() throws Exception {
        try (RawClient client = client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
            assertEquals(100, client.answer().status());
            assertEquals("body", client.send("body").answer().text());
        }
    }

    @Test
    void closesWhenAsked() throws Exception {
        try (RawClient client = client()) {
            Answer answer = client.send("GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    .answer();
            assertEquals("/last", answer.text());
            assertEquals("close", answer.headers().get("Connection"));
            assertEquals(-1, client.read());
        }
    }

    @Test
    void answersAClientThatHasClosedItsHalf() throws Exception {
        try (RawClient client = client()) {
            client.get("/1").get("/2").shutdownOutput();
            assertEquals("/1", client.answer().text());
            assertEquals("/2", client.answer().text());
            assertEquals(-1, client.read());
        }
        server.awaitNoEndPoints();
    }

    @Test
    void forgetsAClientThatComesAndGoes() throws Exception {
        for (int i = 0; i < 50; i++) {
            client().close();
        }
        Await.until("all were accepted", () -> server.connections().getConnectionsTotal() == 50L * connections());
        server.awaitNoEndPoints();
    }

    @Test
    void doesNotHangOnABodyThatNobodyReads() throws Exception {
        try (RawClient client = client()) {
            client.send("POST /unread HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody");
            assertEquals("/unread", client.answer().text());
            assertEquals("/next", client.get("/next").answer().text());
        }
    }

    @Test
    void answersBeforeItClosesOnABodyThatNobodyReads() throws Exception {
        try (RawClient client = client()) {
            client.send("POST /unread HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Length: 4\r\n\r\nbody");
            assertEquals("/unread", client.answer().text());
            assertEquals(-1, client.read());
        }
        server.awaitNoEndPoints();
    }

    /** More than the buffers of the server hold: closing with bytes unread resets the connection, maybe before the answer is read. */
    @Test
    void answersBeforeItClosesOnALargeBodyThatNobodyReads() throws Exception {
        try (RawClient client = client()) {
            // By one call: a second one might find the connection reset already.
            client.send(
                    "POST /unread HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"
                            + "x".repeat(100_000));
            assertEquals("/unread", client.answer().text());
            assertEquals(-1, client.read());
        }
        server.awaitNoEndPoints();
    }

    @Test
    void refusesWhatIsNotHttp() throws Exception {
        server.expectMalformedRequests();
        try (RawClient client = client()) {
            assertEquals(400, client.send("what\r\n\r\n").answer().status());
            assertEquals(-1, client.read());
        }
        server.awaitNoEndPoints();
    }

    @Test
    void speaksHttp10() throws Exception {
        try (RawClient client = client()) {
            Answer answer = client.send("GET /ten HTTP/1.0\r\n\r\n").answer();
            assertEquals("/ten", answer.text());
            assertEquals(-1, client.read());
        }
    }

    @Test
    void servesManyConnectionsAtOnce() throws Exception {
        RawClient[] clients = new RawClient[manyClients()];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = client();
        }
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < clients.length; i++) {
                clients[i].get("/" + round + "/" + i);
            }
            for (int i = 0; i < clients.length; i++) {
                assertEquals("/" + round + "/" + i, clients[i].answer().text());
            }
        }
        for (RawClient client : clients) {
            client.close();
        }
        server.awaitNoEndPoints();
    }
}
