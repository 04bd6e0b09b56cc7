package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.testing.TlsRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a connection of TLS ends: by a close alert (RFC 8446 section 6.1), whoever ends it, and with nothing left to wait for. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class TlsEndContractTest {
    private static final Tls TLS = new Tls();

    @Parameter
    Connectors connectors;

    private final Held held = new Held();

    /** Keeps the request, and leaves it to the test. */
    private static final class Held extends Handler.Abstract {
        private final BlockingQueue<EndPoint> endPoints = new LinkedBlockingQueue<>();
        private final BlockingQueue<Callback> callbacks = new LinkedBlockingQueue<>();

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            callbacks.add(callback);
            endPoints.add(EndPoints.of(request));
            return true;
        }

        EndPoint awaitEndPoint() throws InterruptedException {
            EndPoint endPoint = endPoints.poll(30, TimeUnit.SECONDS);
            assertNotNull(endPoint);
            return endPoint;
        }

        void complete() {
            callbacks.remove().failed(new IOException("the connection is gone"));
        }
    }

    // 1.2 does not hide what is an alert.
    private SslConnectionFactory ssl(String next) {
        SslContextFactory.Server factory = TLS.server();
        factory.setIncludeProtocols("TLSv1.2");
        return connectors.tls(factory, next);
    }

    private TestServer server(ConnectionFactory... factories) throws Exception {
        TestServer server = new TestServer(s -> connectors.on(s, factories));
        // The alert has as long; a busy machine may take the default.
        server.connector().setShutdownIdleTimeout(30_000);
        return server.start(held);
    }

    private static void assertEndsByAnAlert(RawClient client, TlsRecords records) throws IOException {
        client.readToEnd();
        assertEquals(TlsRecords.ALERT, records.lastContentType());
    }

    // Not before the handshake, which may take longer in a JVM that has just begun.
    private static void setIdle(TestServer server) {
        server.connector().getConnectedEndPoints().forEach(endPoint -> endPoint.setIdleTimeout(300));
    }

    @Test
    void endsAnIdleConnection() throws Exception {
        try (TestServer server = server(ssl("http/1.1"), new HttpConnectionFactory())) {
            TlsRecords records = new TlsRecords(server.port());
            try (RawClient client = TLS.over(records)) {
                setIdle(server);
                assertEndsByAnAlert(client, records);
            }
        }
    }

    @Test
    void endsAHandshakeThatHasHardlyBegun() throws Exception {
        try (TestServer server = server(ssl("http/1.1"), new HttpConnectionFactory())) {
            TlsRecords records = new TlsRecords(server.port());
            try (RawClient client = new RawClient(records)) {
                client.send(Arrays.copyOf(TLS.hello(), 100));
                server.awaitEndPoints(1);
                // The JDK sends no alert of a handshake of which it has seen nothing.
                EndPoint endPoint =
                        server.connector().getConnectedEndPoints().iterator().next();
                Await.until(
                        "has begun", () -> endPoint.getConnection().getBytesIn() == 100 && endPoint.isFillInterested());
                setIdle(server);
                assertEndsByAnAlert(client, records);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http/1.1", "alpn"})
    void endsAHandshakeInItsMiddle(String next) throws Exception {
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory("http/1.1");
        alpn.setDefaultProtocol("http/1.1");
        try (TestServer server = server(ssl(next), alpn, new HttpConnectionFactory())) {
            TlsRecords records = new TlsRecords(server.port());
            try (RawClient client = new RawClient(records)) {
                client.send(TLS.hello());
                assertTrue(client.read() >= 0);
                // A slow machine may have yet to make the rest of the server's part.
                EndPoint endPoint =
                        server.connector().getConnectedEndPoints().iterator().next();
                Await.until("waits for the client", endPoint::isFillInterested);
                setIdle(server);
                assertEndsByAnAlert(client, records);
            }
        }
    }

    @Test
    void endsAnIdleConnectionOfHttp2() throws Exception {
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory("h2");
        try (TestServer server = server(ssl("alpn"), alpn, new HTTP2ServerConnectionFactory(new HttpConfiguration()))) {
            TlsRecords records = new TlsRecords(server.port());
            try (RawClient client = TLS.over(records, "h2")) {
                new Http2Frames(client);
                // The server's preface: its connection of HTTP/2 is open, which may set a timeout of its own.
                assertTrue(client.read() >= 0);
                setIdle(server);
                assertEndsByAnAlert(client, records);
            }
        }
    }

    @Test
    void endsAConnectionThatAnotherThreadCloses() throws Exception {
        try (TestServer server = server(ssl("http/1.1"), new HttpConnectionFactory())) {
            TlsRecords records = new TlsRecords(server.port());
            try (RawClient client = TLS.over(records).get("/")) {
                EndPoint endPoint = held.awaitEndPoint();
                endPoint.close();
                assertFalse(endPoint.isOpen());
                assertEndsByAnAlert(client, records);
                held.complete();
            }
        }
    }

    @Test
    void endsTheOutputOnly() throws Exception {
        try (TestServer server = server(ssl("http/1.1"), new HttpConnectionFactory())) {
            TlsRecords records = new TlsRecords(server.port());
            try (RawClient client = TLS.over(records).get("/")) {
                held.awaitEndPoint().shutdownOutput();
                assertEndsByAnAlert(client, records);
                held.complete();
            }
        }
    }

    @Test
    void failsAWriteAfterTheEndOfTheOutput() throws Exception {
        try (TestServer server = server(ssl("http/1.1"), new HttpConnectionFactory())) {
            for (int i = 0; i < 10; i++) {
                try (RawClient client = TLS.connect(server.port()).get("/")) {
                    EndPoint endPoint = held.awaitEndPoint();
                    endPoint.shutdownOutput();
                    assertFails(endPoint);
                    held.complete();
                }
            }
        }
    }

    @Test
    void failsAWriteAfterTheEndOfTheOutputToAPeerThatIsGone() throws Exception {
        try (TestServer server = server(ssl("http/1.1"), new HttpConnectionFactory())) {
            for (int i = 0; i < 10; i++) {
                TlsRecords plain = new TlsRecords(server.port());
                RawClient client = TLS.over(plain).get("/");
                EndPoint endPoint = held.awaitEndPoint();
                plain.setSoLinger(true, 0);
                plain.close();
                client.close();
                endPoint.shutdownOutput();
                assertFails(endPoint);
                held.complete();
            }
        }
    }

    /** Writes more than a socket takes. */
    private static final class Writing extends Handler.Abstract {
        private final CompletableFuture<Callback> callback = new CompletableFuture<>();
        private final CompletableFuture<SslConnection.SslEndPoint> decrypted = new CompletableFuture<>();
        private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

        @Override
        public boolean handle(Request request, Response response, Callback completion) {
            callback.complete(completion);
            decrypted.complete((SslConnection.SslEndPoint) EndPoints.of(request));
            try {
                Content.Sink.write(response, false, ByteBuffer.allocate(32_000_000));
            } catch (IOException x) {
                failure.complete(x);
            }
            return true;
        }
    }

    @Test
    void cancelsAWriteThatThePeerDoesNotTake() throws Exception {
        assertEndsAWrite(writing -> writing.callback.join().failed(new IOException("enough")));
    }

    @Test
    void closesInTheMiddleOfAWriteThatThePeerDoesNotTake() throws Exception {
        assertEndsAWrite(writing -> writing.decrypted.join().close());
    }

    @Test
    void endsAWriteThatThePeerDoesNotTake() throws Exception {
        assertEndsAWrite(writing -> writing.decrypted.join().setIdleTimeout(300));
    }

    private void assertEndsAWrite(Consumer<Writing> end) throws Exception {
        Writing writing = new Writing();
        try (TestServer server = new TestServer(s -> connectors.on(s, ssl("http/1.1"), new HttpConnectionFactory()))
                        .start(writing);
                RawClient client = TLS.connect(server.port()).get("/")) {
            EndPoint encrypted = writing.decrypted
                    .get(30, TimeUnit.SECONDS)
                    .getSslConnection()
                    .getEndPoint();
            // Jetty loses a write that is given up in the instant in which it begins.
            server.awaitBlockedWrite();
            Await.until("nothing taken any more", () -> ((AbstractEndPoint) encrypted).getIdleFor() > 200);
            FutureTask<Void> ended = new FutureTask<>(() -> end.accept(writing), null);
            new Thread(ended).start();
            assertInstanceOf(IOException.class, writing.failure.get(30, TimeUnit.SECONDS));
            ended.get(30, TimeUnit.SECONDS);
            writing.callback.join().failed(new IOException("the connection is gone"));
            server.awaitNoEndPoints();
        }
    }

    private static void assertFails(EndPoint endPoint) throws Exception {
        Callback.Completable written = new Callback.Completable();
        endPoint.write(written, ByteBuffer.allocate(1));
        assertInstanceOf(
                IOException.class, written.handle((done, cause) -> cause).get(30, TimeUnit.SECONDS));
    }

    @Test
    void readsTheEndAfterItsOwn() throws Exception {
        try (TestServer server = server(ssl("http/1.1"), new HttpConnectionFactory());
                TlsRecords records = new TlsRecords(server.port());
                RawClient client = TLS.over(records)) {
            client.get("/");
            SslConnection.SslEndPoint endPoint = (SslConnection.SslEndPoint) held.awaitEndPoint();
            endPoint.getSslConnection().getEndPoint().shutdownOutput();
            records.close();
            Callback.Completable fillable = new Callback.Completable();
            endPoint.fillInterested(fillable);
            fillable.get(30, TimeUnit.SECONDS);
            Await.until("the end", () -> fill(endPoint) < 0);
            held.complete();
            server.awaitNoEndPoints();
        }
    }

    private static int fill(EndPoint endPoint) {
        try {
            return endPoint.fill(BufferUtil.allocate(100));
        } catch (IOException x) {
            return -1;
        }
    }

    /** The reason is the timeout itself, as without TLS: an application asks for its class. */
    @Test
    void failsAWriteByTheIdleTimeout() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        Handler writing = Handlers.of((request, response, callback) -> {
            begun.countDown();
            response.write(
                    true, ByteBuffer.allocateDirect(32 * 1024 * 1024), Callback.from(callback::succeeded, cause -> {
                        failure.complete(cause);
                        callback.failed(cause);
                    }));
        });
        HttpConnectionFactory http = new HttpConnectionFactory();
        try (TestServer server = new TestServer(s -> connectors.on(s, ssl(http.getProtocol()), http)).start(writing);
                RawClient client = TLS.connect(server.port())) {
            client.get("/");
            assertTrue(begun.await(30, TimeUnit.SECONDS));
            setIdle(server);
            EndPointWriteContractTest.assertEndsSomewhere(
                    assertInstanceOf(TimeoutException.class, failure.get(30, TimeUnit.SECONDS)));
        }
    }
}
