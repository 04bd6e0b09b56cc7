package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.eclipse.jetty.http.ComplianceViolation;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A malformed request is answered by another thread than that which found it so. If the first is still in the
 * connection when that other one reads on, they share a buffer that one of them gives back. The next connection begins
 * with bytes of this one.
 */
@Timeout(60)
class MalformedAnswerTest {
    /** More than is read at once, so that something is left to read after the answer. */
    private static final String MALFORMED = "A".repeat(9000) + " / HTTP/1.1\r\nHost: a\r\n\r\n";

    private static final String PROXY = "PROXY TCP4 10.1.2.3 10.4.5.6 1000 2000\r\n";
    private static final int READ_AT_ONCE = 8192;
    private static final int RECORD_BYTES = 16 * 1024;
    private static final int ATTEMPTS = 20;
    private static final int ROUNDS = 200;

    private final Handler hello = Handlers.text(request -> request.getMethod() + " hello");

    /** Keeps the thread that gives the answer to another until that one waits for it, or the client has been answered. */
    private static final class Holding extends QueuedThreadPool {
        private final AtomicBoolean held = new AtomicBoolean();
        private volatile BooleanSupplier answered;
        private volatile boolean waited;
        private volatile boolean waitedInTls;
        private volatile boolean hasReadOn;

        @Override
        public boolean tryExecute(Runnable task) {
            BooleanSupplier isAnswered = answered;
            if (isAnswered == null || !isAnswer() || !held.compareAndSet(false, true)) {
                return super.tryExecute(task);
            }
            execute(task);
            Await.until("waits, or has answered", () -> isWaiting() || isAnswered.getAsBoolean());
            return true;
        }

        @Override
        public void execute(Runnable task) {
            super.execute(task instanceof HttpConnection ? () -> readOn(task) : task);
        }

        private void readOn(Runnable connection) {
            try {
                connection.run();
            } finally {
                hasReadOn = true;
            }
        }

        // Jetty's strategies ask for threads, too.
        private static boolean isAnswer() {
            return Arrays.toString(Thread.currentThread().getStackTrace()).contains(".badMessage(");
        }

        private boolean isWaiting() {
            Optional<String> wait = Thread.getAllStackTraces().values().stream()
                    .map(Arrays::toString)
                    .filter(stack -> stack.contains("letHandlingThreadLeave("))
                    .findAny();
            // Jetty writes so with the lock of TLS held.
            waitedInTls = wait.isPresent() && wait.get().contains(".networkFlush(");
            waited = wait.isPresent();
            return waited;
        }
    }

    private static boolean hasAnswer(Socket client) {
        try {
            return client.getInputStream().available() > 0;
        } catch (IOException closed) {
            return true;
        }
    }

    private static Socket proxied(int port, boolean isProxied) throws IOException {
        Socket socket = new Socket("127.0.0.1", port);
        if (isProxied) {
            socket.getOutputStream().write(PROXY.getBytes(StandardCharsets.US_ASCII));
        }
        return socket;
    }

    private ServerConnector start(Function<Server, ServerConnector> connectors, QueuedThreadPool pool)
            throws Exception {
        Server server = new Server(pool);
        ServerConnector connector = connectors.apply(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(hello);
        server.start();
        return connector;
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void waitsUntilItsFinderHasLeft(Connectors connectors) throws Exception {
        boolean waited = false;
        // The wait is limited: an attempt in which a thread stands still for longer shows nothing.
        for (int i = 0; i < ATTEMPTS && !waited; i++) {
            Holding pool = new Holding();
            ServerConnector connector = start(connectors::http, pool);
            try (RawClient client = new RawClient(connector.getLocalPort())) {
                pool.answered = () -> hasAnswer(client.socket());
                client.send(MALFORMED);
                assertEquals(431, client.answer().status());
                assertTrue(pool.held.get(), "the answer was another thread's");
                waited = pool.waited;
            } finally {
                connector.getServer().stop();
            }
        }
        assertTrue(waited, "answered at once");
    }

    // TLS 1.2: with 1.3 the server's tickets are unread by then, and would look like an answer.
    private ServerConnector startTls(Connectors connectors, Tls tls, QueuedThreadPool pool, boolean isProxied)
            throws Exception {
        SslContextFactory.Server ssl = tls.server();
        ssl.setIncludeProtocols("TLSv1.2");
        ConnectionFactory encrypted = connectors.tls(ssl, "http/1.1");
        HttpConnectionFactory http = new HttpConnectionFactory();
        ConnectionFactory[] factories = isProxied
                ? new ConnectionFactory[] {new ProxyConnectionFactory(encrypted.getProtocol()), encrypted, http}
                : new ConnectionFactory[] {encrypted, http};
        return start(server -> connectors.on(server, factories), pool);
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void waitsUntilItsFinderHasLeftBeforeItTakesTheLockOfTls(Connectors connectors) throws Exception {
        assertWaitsBeforeTheLockOfTls(connectors, false);
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void waitsUntilItsFinderHasLeftBehindAProxyThatPassesTlsThrough(Connectors connectors) throws Exception {
        assertWaitsBeforeTheLockOfTls(connectors, true);
    }

    private void assertWaitsBeforeTheLockOfTls(Connectors connectors, boolean isProxied) throws Exception {
        Tls tls = new Tls();
        boolean waitedBefore = false;
        // After the wait, which is limited, the end point below may wait once more.
        for (int i = 0; i < ATTEMPTS && !waitedBefore; i++) {
            Holding pool = new Holding();
            ServerConnector connector = startTls(connectors, tls, pool, isProxied);
            try (Socket records = proxied(connector.getLocalPort(), isProxied);
                    RawClient client = tls.over(records)) {
                pool.answered = () -> hasAnswer(records);
                client.send(MALFORMED);
                assertEquals(431, client.answer().status());
                assertTrue(pool.held.get(), "the answer was another thread's");
                waitedBefore = pool.waited && !pool.waitedInTls;
            } finally {
                connector.getServer().stop();
            }
        }
        assertTrue(waitedBefore, "answered at once, or waited with the lock");
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void waitsUntilItsFinderHasLeftThoughTheConnectionIsClosed(Connectors connectors) throws Exception {
        boolean waited = false;
        for (int i = 0; i < ATTEMPTS && !waited; i++) {
            Holding pool = new Holding();
            ServerConnector connector = start(connectors::http, pool);
            HttpConfiguration http =
                    connector.getConnectionFactory(HttpConnectionFactory.class).getHttpConfiguration();
            http.setHttpCompliance(HttpCompliance.RFC2616);
            http.addComplianceViolationListener(new ComplianceViolation.Listener() {
                @Override
                public void onComplianceViolation(ComplianceViolation.Event event) {
                    // Its reader is here, and has yet to see the end.
                    connector.getConnectedEndPoints().forEach(EndPoint::close);
                }
            });
            try (RawClient client = new RawClient(connector.getLocalPort())) {
                pool.answered = () -> pool.hasReadOn;
                client.send("GET / HTTP/1.1\r\nX-Folded: 1\r\n 2\r\nX-Long: ");
                Await.until("has read on", () -> pool.hasReadOn);
                waited = pool.waited;
            } finally {
                connector.getServer().stop();
            }
        }
        assertTrue(waited, "read on at once");
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void readsNothingBehindIt(Connectors connectors) throws Exception {
        try (TestServer server =
                new TestServer(connectors::http).expectMalformedRequests().start(hello)) {
            try (RawClient client = server.client().send("bad\r\n\r\n" + "x".repeat(2 * READ_AT_ONCE))) {
                assertEquals(400, client.answer().status());
            }
            Await.until("closed", () -> server.events().closed() == 1);
            assertTrue(
                    server.events().last().getBytesIn() <= READ_AT_ONCE,
                    () -> "read " + server.events().last().getBytesIn());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void readsNothingBehindItInTls(Connectors connectors) throws Exception {
        Tls tls = new Tls();
        try (TestServer server = new TestServer(jetty -> connectors.https(jetty, tls))
                .expectMalformedRequests()
                .start(hello)) {
            try (RawClient client = tls.connect(server.port()).send("bad\r\n\r\n" + "x".repeat(2 * RECORD_BYTES))) {
                assertEquals(400, client.answer().status());
            }
            Await.until(
                    "closed",
                    () -> server.events().opened() == 2 && server.events().closed() == 2);
            assertEquals(HttpConnection.class, server.events().last().getClass());
            assertTrue(
                    server.events().last().getBytesIn() <= RECORD_BYTES,
                    () -> "read " + server.events().last().getBytesIn());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void answersBehindAnotherRequestInTlsThoughMoreFollows(Connectors connectors) throws Exception {
        Tls tls = new Tls();
        try (TestServer server = new TestServer(jetty -> connectors.https(jetty, tls))
                .expectMalformedRequests()
                .start(hello)) {
            for (int i = 0; i < ATTEMPTS; i++) {
                try (RawClient client = tls.connect(server.port())
                        .send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\nbad\r\n\r\n")
                        .send("x".repeat(2 * RECORD_BYTES))) {
                    assertEquals("GET hello", client.answer().text());
                    assertEquals(400, client.answer().status());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void leavesNothingToTheNext(Connectors connectors) throws Exception {
        ServerConnector connector = start(connectors::http, new QueuedThreadPool());
        try {
            for (int i = 0; i < ROUNDS; i++) {
                try (RawClient client = new RawClient(connector.getLocalPort())) {
                    client.send(MALFORMED);
                    client.shutdownOutput();
                    while (client.read() >= 0) {
                        // The answer, if it comes before the reset that follows what was not read.
                    }
                } catch (IOException reset) {
                    assertTrue(connector.isRunning(), () -> "ended by " + reset);
                }
                try (RawClient client = new RawClient(connector.getLocalPort())) {
                    assertEquals("GET hello", client.get("/").answer().text());
                }
            }
        } finally {
            connector.getServer().stop();
        }
    }
}
