package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.IdleTimeout;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A request whose handler takes longer than the idle timeout is served, and so is the next. */
@Timeout(60)
class IdleRequestContractTest {
    private static final String ALL = "dev.millrace.testing.Connectors#all";
    private static final int SHORT_MILLIS = 50;
    private static final int LONG_MILLIS = 30_000;
    /** The first tells of the expiry, and then may go on to end the connection: that has happened before the second. */
    private static final int EXPIRIES = 2;

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

    /** An expiry that has seen the short time may be under way, and would fail a write. The scheduler has one thread. */
    private static void awaitScheduler(Request request) {
        AtomicBoolean isDone = new AtomicBoolean();
        request.getConnectionMetaData()
                .getConnector()
                .getScheduler()
                .schedule(() -> isDone.set(true), 0, TimeUnit.MILLISECONDS);
        Await.until("no expiry under way", isDone::get);
    }

    /** Answers the path of a request, and the content behind it. */
    private static Handler echo(Late late) {
        return Handlers.of((request, response, callback) -> {
            String path = Request.getPathInContext(request);
            if (path.equals("/late")) {
                EndPoint endPoint = EndPoints.of(request);
                late.handle(request, endPoint, () -> {
                    // The client's next request may take its time.
                    endPoint.setIdleTimeout(LONG_MILLIS);
                    awaitScheduler(request);
                    Content.Sink.write(response, true, path, callback);
                });
                return;
            }
            String content = new String(Handlers.content(request), StandardCharsets.UTF_8);
            Content.Sink.write(response, true, path + content, callback);
        });
    }

    private static void assertAnswersLate(RawClient client) throws Exception {
        RawClient.Answer answer = client.get("/late").answer();
        assertEquals(200, answer.status());
        assertEquals("/late", answer.text());
        assertEquals("/next", client.get("/next").answer().text());
    }

    private static void assertAnswersLate(Connectors connectors, Late late) throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(echo(late));
                RawClient client = server.client()) {
            assertAnswersLate(client);
        }
    }

    private static void assertAnswersLateOverTls(Connectors connectors, Late late) throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        try (server;
                RawClient client = tls.connect(server.start(echo(late)).port())) {
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

    /** Reads a byte, is idle until the timeout has expired, and answers how many bytes came in all. */
    private final Handler slow = Handlers.of((request, response, callback) -> {
        EndPoint endPoint = EndPoints.of(request);
        IdleTimeout socket = (IdleTimeout) MillraceEndPoint.socket(endPoint);
        try (InputStream content = Content.Source.asInputStream(request)) {
            assertEquals(0, content.read());
            endPoint.setIdleTimeout(SHORT_MILLIS);
            AtomicLong idleFor = new AtomicLong();
            for (int i = 0; i < EXPIRIES; i++) {
                Await.until("expired", () -> socket.getIdleFor() < idleFor.getAndSet(socket.getIdleFor()));
            }
            endPoint.setIdleTimeout(LONG_MILLIS);
            awaitScheduler(request);
            Content.Sink.write(response, true, "" + (1 + content.readAllBytes().length), callback);
        }
    });

    private static void assertReadsAll(RawClient client) throws Exception {
        int bytes = 100_000;
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + bytes + "\r\n\r\n");
        client.send(new byte[bytes]);
        assertEquals("" + bytes, client.answer().text());
    }

    static Stream<Connectors> blocking() {
        return Connectors.ours().filter(c -> c.name().startsWith("BIO"));
    }

    /** Jetty discards the content, and the request fails. Where the handler reads in that moment, it may take what is left for all. */
    @ParameterizedTest
    @MethodSource("blocking")
    void keepsTheContentThatABusyHandlerHasYetToRead(Connectors connectors) throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(slow);
                RawClient client = server.client()) {
            assertReadsAll(client);
        }
    }

    @ParameterizedTest
    @MethodSource("blocking")
    void keepsTheContentThatABusyHandlerHasYetToReadOverTls(Connectors connectors) throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        try (server;
                RawClient client = tls.connect(server.start(slow).port())) {
            assertReadsAll(client);
        }
    }
}
