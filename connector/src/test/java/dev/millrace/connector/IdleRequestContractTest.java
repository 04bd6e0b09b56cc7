package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A request that takes longer than the idle timeout, by its handler or by its peer, is served, and so is the next. */
@Timeout(60)
class IdleRequestContractTest {
    private static final String ALL = "dev.millrace.testing.Connectors#all";
    private static final int SHORT_MILLIS = 50;
    private static final int LONG_MILLIS = 30_000;
    /** The first tells of the expiry, and then may go on to end the connection: that has happened before the second. */
    private static final int EXPIRIES = 2;

    private static final int PIECES_IDLE_MILLIS = 10_000;
    private static final int GAP_MILLIS = 700;
    private static final int PIECES = 3 + PIECES_IDLE_MILLIS / GAP_MILLIS;

    /** When a request for /late is answered. */
    private enum Late {
        /** By the thread that handles it, which waits for its idle timeout. */
        BLOCKING {
            @Override
            void handle(Request request, EndPoint endPoint, Runnable answer) throws InterruptedException {
                CountDownLatch expired = new CountDownLatch(EXPIRIES);
                request.addIdleTimeoutListener(timeout -> {
                    expired.countDown();
                    return false;
                });
                endPoint.setIdleTimeout(SHORT_MILLIS);
                assertTrue(expired.await(30, TimeUnit.SECONDS));
                answer.run();
            }
        },
        /** By the thread that tells of the idle timeout. */
        ASYNCHRONOUS {
            @Override
            void handle(Request request, EndPoint endPoint, Runnable answer) {
                AtomicInteger expiries = new AtomicInteger();
                request.addIdleTimeoutListener(timeout -> {
                    if (expiries.incrementAndGet() == EXPIRIES) {
                        answer.run();
                    }
                    return false;
                });
                endPoint.setIdleTimeout(SHORT_MILLIS);
            }
        },
        /** By the thread that handles it, which is told that the request has failed, and answers all the same. */
        FAILED {
            @Override
            void handle(Request request, EndPoint endPoint, Runnable answer) throws InterruptedException {
                CountDownLatch failed = new CountDownLatch(1);
                request.addFailureListener(failure -> failed.countDown());
                endPoint.setIdleTimeout(SHORT_MILLIS);
                assertTrue(failed.await(30, TimeUnit.SECONDS));
                answer.run();
            }
        };

        abstract void handle(Request request, EndPoint endPoint, Runnable answer) throws InterruptedException;
    }

    /** Answers the path of a request, and the content behind it. */
    private static final class Echo extends Handler.Abstract {
        private final Late late;

        private Echo(Late late) {
            this.late = late;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String path = Request.getPathInContext(request);
            if (path.equals("/late")) {
                EndPoint endPoint =
                        request.getConnectionMetaData().getConnection().getEndPoint();
                late.handle(request, endPoint, () -> {
                    // The client's next request may take its time.
                    endPoint.setIdleTimeout(LONG_MILLIS);
                    Content.Sink.write(response, true, path, callback);
                });
                return true;
            }
            try (InputStream content = Content.Source.asInputStream(request)) {
                Content.Sink.write(
                        response, true, path + new String(content.readAllBytes(), StandardCharsets.UTF_8), callback);
            }
            return true;
        }
    }

    private static void assertAnswersLate(RawClient client) throws Exception {
        RawClient.Answer answer = client.get("/late").answer();
        assertEquals(200, answer.status());
        assertEquals("/late", answer.text());
        assertEquals("/next", client.get("/next").answer().text());
    }

    private static void assertAnswersLate(Connectors connectors, Late late) throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(new Echo(late));
                RawClient client = server.client()) {
            assertAnswersLate(client);
        }
    }

    private static void assertAnswersLateOverTls(Connectors connectors, Late late) throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(
                s -> connectors.on(s, connectors.tls(tls.server(), "http/1.1"), new HttpConnectionFactory()));
        try (server;
                RawClient client = tls.connect(server.start(new Echo(late)).port())) {
            assertAnswersLate(client);
        }
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void isAnsweredByAHandlerThatBlocksForLonger(Connectors connectors) throws Exception {
        assertAnswersLate(connectors, Late.BLOCKING);
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void isAnsweredByAHandlerThatBlocksForLongerOverTls(Connectors connectors) throws Exception {
        assertAnswersLateOverTls(connectors, Late.BLOCKING);
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void isAnsweredAsynchronouslyAfterLonger(Connectors connectors) throws Exception {
        assertAnswersLate(connectors, Late.ASYNCHRONOUS);
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void isAnsweredAsynchronouslyAfterLongerOverTls(Connectors connectors) throws Exception {
        assertAnswersLateOverTls(connectors, Late.ASYNCHRONOUS);
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void isAnsweredByAHandlerThatWasToldOfAFailure(Connectors connectors) throws Exception {
        assertAnswersLate(connectors, Late.FAILED);
    }

    // All at once: most of it is waiting.
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void isReadInPiecesForLonger() throws Exception {
        List<TestServer> servers = new ArrayList<>();
        List<RawClient> heads = new ArrayList<>();
        List<RawClient> bodies = new ArrayList<>();
        for (Connectors connectors : Connectors.all().toList()) {
            TestServer server = new TestServer(connectors::http).start(new Echo(Late.BLOCKING));
            servers.add(server);
            heads.add(server.client().send("GET /head HTTP/1.1\r\nHost: localhost\r\nX-Long: "));
            bodies.add(server.client()
                    .send("POST /body HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"));
            server.awaitEndPoints(2);
        }
        // Not before: on a busy machine it may take as long to come here.
        servers.forEach(server -> server.connector()
                .getConnectedEndPoints()
                .forEach(endPoint -> endPoint.setIdleTimeout(PIECES_IDLE_MILLIS)));
        trickle(heads, bodies);
        for (int i = 0; i < servers.size(); i++) {
            String connector = servers.get(i).connector().toString();
            assertEquals("/head", heads.get(i).send("\r\n\r\n").answer().text(), connector);
            assertEquals(
                    "/body" + "x".repeat(PIECES),
                    bodies.get(i).send("0\r\n\r\n").answer().text(),
                    connector);
            servers.get(i)
                    .connector()
                    .getConnectedEndPoints()
                    .forEach(endPoint -> endPoint.setIdleTimeout(LONG_MILLIS));
        }
        for (int i = 0; i < servers.size(); i++) {
            assertEquals("/next", heads.get(i).get("/next").answer().text());
            assertEquals("/next", bodies.get(i).get("/next").answer().text());
            heads.get(i).close();
            bodies.get(i).close();
            servers.get(i).close();
        }
    }

    private static void trickle(List<RawClient> heads, List<RawClient> bodies) throws Exception {
        ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
        CountDownLatch sent = new CountDownLatch(PIECES);
        var unused = pace.scheduleAtFixedRate(
                () -> {
                    if (sent.getCount() > 0) {
                        heads.forEach(client -> send(client, "x"));
                        bodies.forEach(client -> send(client, "1\r\nx\r\n"));
                        sent.countDown();
                    }
                },
                0,
                GAP_MILLIS,
                TimeUnit.MILLISECONDS);
        try {
            assertTrue(sent.await(30, TimeUnit.SECONDS), "a connection has ended");
        } finally {
            pace.shutdownNow();
        }
    }

    private static void send(RawClient client, String piece) {
        try {
            client.send(piece);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
