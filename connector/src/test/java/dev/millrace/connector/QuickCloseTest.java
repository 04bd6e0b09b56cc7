package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.testing.TlsPeer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections whose sockets are closed at once: nothing is gained when these linger. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class QuickCloseTest {
    private static final int LARGE_BYTES = 10_000_000;
    /** Nobody reads them, and some would make a close reset. */
    private static final String PIPELINED = "x".repeat(400);

    @TempDir
    static Path directory;

    @Parameter
    Connectors connectors;

    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /** Reads no content. */
    private final Handler application = Handlers.of((request, response, callback) -> {
        switch (Request.getPathInContext(request)) {
            case "/large" ->
                response.write(true, ByteBuffer.allocate(LARGE_BYTES), Callback.from(callback::succeeded, x -> {
                    failure.complete(x);
                    callback.failed(x);
                }));
            case "/half" -> {
                response.getHeaders().put(HttpHeader.CONTENT_LENGTH, 10);
                response.write(
                        false,
                        ByteBuffer.wrap(new byte[5]),
                        Callback.from(() -> callback.failed(new IOException("no more")), callback::failed));
            }
            default -> Content.Sink.write(response, true, "hello", callback);
        }
    });

    private TestServer server() {
        return new TestServer(connectors::http).expectMalformedRequests();
    }

    /**
     * Jetty closes TLS without having read the peer's end, if that comes while the thread that has answered is about to ask for it: then it
     * does linger, and has to.
     */
    private static void awaitAnswered(TestServer server) {
        Await.until(
                "the thread that has answered leaves",
                () -> server.connector().getConnectedEndPoints().stream()
                        .allMatch(endPoint -> ((MillraceEndPoint) endPoint).handlingThread() == null));
    }

    @BeforeEach
    void noThreadIsLeft() {
        Await.until("no thread of an earlier test", () -> threads() == 0);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().startsWith("lingering-close-"))
                .count();
    }

    @Test
    void doesNotLingerWhenThatIsOff() throws Exception {
        TestServer server = server();
        server.millrace().setLingeringCloseMillis(0);
        try (server;
                RawClient client = server.start(application).client()) {
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n");
            assertEquals("hello", client.answer().text());
            server.awaitNoEndPoints();
            assertEquals(0, server.millrace().getLingeredConnections());
            assertEquals(0, threads());
            assertThrows(IOException.class, () -> {
                while (true) {
                    client.send("more");
                }
            });
        }
    }

    /** The ordinary end of a connection costs nothing. */
    @Test
    void doesNotLingerForAPeerThatHasEnded() throws Exception {
        try (TestServer server = server().start(application)) {
            try (RawClient client = server.client()) {
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                assertEquals("hello", client.answer().text());
                assertEquals(-1, client.in().read());
            }
            try (RawClient client = server.client()) {
                assertEquals("hello", client.get("/").answer().text());
            }
            try (RawClient client = server.client()) {
                client.send("GET / HTTP/1.0\r\n\r\n").shutdownOutput();
                assertEquals("hello", client.answer().text());
                assertEquals(-1, client.in().read());
            }
            server.awaitNoEndPoints();
            assertEquals(0, server.millrace().getLingeredConnections());
            assertEquals(0, threads());
        }
    }

    /** The alert that ends TLS comes before the end of the socket. */
    @Test
    void doesNotLingerForAPeerWhoseCloseAlertHasCome() throws Exception {
        Tls tls = new Tls();
        try (TestServer server = new TestServer(s -> connectors.https(s, tls)).start(application)) {
            try (TlsPeer peer = new TlsPeer(tls, server.port(), "TLSv1.3").handshake()) {
                peer.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                peer.readAll();
                awaitAnswered(server);
                peer.sendRecords(peer.closeAlert());
                server.awaitNoEndPoints();
            }
            assertEquals(0, server.millrace().getLingeredConnections());
        }
    }

    @Test
    void doesNotLingerForAPeerThatHasEndedTls() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        try (server) {
            server.start(application);
            try (RawClient client = tls.connect(server.port())) {
                client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                assertEquals("hello", client.answer().text());
                assertEquals(-1, client.in().read());
                awaitAnswered(server);
            }
            server.awaitNoEndPoints();
            assertEquals(0, server.millrace().getLingeredConnections());
        }
    }

    @Test
    void doesNotLingerAfterAnAnswerThatWasAborted() throws Exception {
        try (TestServer server = server().start(application);
                RawClient client = server.client()) {
            client.get("/half").send(PIPELINED);
            server.awaitEndPoints(0);
            Await.until("closed", () -> server.events().closed() == 1);
            assertEquals(0, server.millrace().getLingeredConnections());
        }
    }

    @Test
    void doesNotLingerAfterAWriteThatTimedOut() throws Exception {
        try (TestServer server = server().start(application);
                RawClient client = new RawClient(server.port(), 4096)) {
            client.get("/large").send(PIPELINED);
            // Not before: a busy machine may need that for the request.
            server.awaitBlockedWrite();
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(500));
            assertTrue(failure.get(30, TimeUnit.SECONDS) != null);
            server.awaitNoEndPoints();
            assertEquals(0, server.millrace().getLingeredConnections());
        }
    }

    @Test
    void doesNotLingerAfterAFileThatBecameShorter() throws Exception {
        TestFiles.write(directory, "shortened", LARGE_BYTES);
        SendfileHandler files = Handlers.files(directory);
        try (TestServer server = server().start(files);
                RawClient client = new RawClient(server.port(), 4096)) {
            client.send("GET /shortened HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" + PIPELINED);
            assertEquals("HTTP/1.1 200 OK", client.line());
            FileChannel.open(directory.resolve("shortened"), StandardOpenOption.WRITE)
                    .truncate(0)
                    .close();
            client.readToEnd();
            server.awaitNoEndPoints();
            assertEquals(1, server.transfers().getTruncations());
            assertEquals(0, server.millrace().getLingeredConnections());
        }
    }

    @Test
    void doesNotLingerAfterAnIdleTimeout() throws Exception {
        try (TestServer server = server().start(application);
                RawClient client = server.client()) {
            assertEquals("hello", client.get("/").answer().text());
            // Not before: a slow machine may need that for the answer.
            server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(200));
            assertEquals(-1, client.in().read());
            server.awaitNoEndPoints();
            assertEquals(0, server.millrace().getLingeredConnections());
        }
    }

    @Test
    void doesNotLingerForASlowPeer() throws Exception {
        TestServer server = server();
        server.sweeper().setPeriodMillis(50);
        try (server;
                RawClient client = server.start(application).client()) {
            assertEquals("hello", client.get("/").answer().text());
            client.send("GET / HTTP/1.1\r\nX-Long: ");
            server.millrace().setRequestHeadTimeoutMillis(200);
            server.awaitNoEndPoints();
            assertEquals(1, server.millrace().getSlowHeads());
            assertEquals(0, server.millrace().getLingeredConnections());
        }
    }
}
