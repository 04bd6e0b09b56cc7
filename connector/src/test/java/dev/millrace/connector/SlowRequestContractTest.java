package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.limits.PeerRates;
import dev.millrace.limits.SlowPeerException;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.logging.JettyLevel;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** How a request of HTTP/1.1 ends whose content is too slow, and which one does not. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class SlowRequestContractTest {
    private static final int GRACE_SECONDS = 5;
    private static final int SILENCE_SECONDS = PeerRates.GRACES_BEFORE_CONTENT * GRACE_SECONDS;
    private static final int LONG_SECONDS = 2 * SILENCE_SECONDS;

    @Parameter
    Connectors connectors;

    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final Semaphore reading = new Semaphore(0);
    private TestServer server;
    private WatchClock clock;

    /** Reads a request to its end. Answers before with /talk; with /deaf does something else when it cannot read. */
    private final Handler application = Handlers.of((request, response, callback) -> {
        String path = Request.getPathInContext(request);
        if (path.equals("/talk")) {
            Content.Sink.write(response, false, ByteBuffer.wrap(new byte[] {'>'}));
        }
        reading.release();
        try {
            Content.Sink.write(response, true, "had " + Handlers.content(request).length, callback);
        } catch (IOException x) {
            failure.complete(x);
            if (path.equals("/deaf")) {
                released.await();
                callback.succeeded();
            }
            throw x;
        }
    });

    private final class Servlet extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            reading.release();
            try {
                response.getWriter().print("had " + request.getInputStream().readAllBytes().length);
            } catch (IOException x) {
                failure.complete(x);
                throw x;
            }
        }
    }

    private TestServer start(Handler handler) throws Exception {
        server = new TestServer(connectors::http);
        clock = new WatchClock(server);
        server.millrace().setSlowRequestsAlwaysEnded(true);
        return server.start(handler);
    }

    /** Begins a request, and waits until somebody waits for its content. */
    private RawClient post(String path) throws Exception {
        RawClient client =
                server.client().send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
        assertTrue(reading.tryAcquire(30, TimeUnit.SECONDS));
        awaitWaiting();
        return client;
    }

    private void awaitWaiting() {
        Await.until(
                "waits for content",
                () -> server.connector().getConnectedEndPoints().stream()
                        .allMatch(endPoint -> ((MonitoredEndPoint) endPoint).awaitsRead()));
        // The clock begins with the first look.
        clock.pass(1);
    }

    private long bytesIn() {
        return server.millrace()
                .getConnectedEndPoints()
                .iterator()
                .next()
                .getConnection()
                .getBytesIn();
    }

    private void assertAnswers408(RawClient client) throws Exception {
        RawClient.Answer answer = client.answer();
        assertEquals(408, answer.status());
        assertEquals("close", answer.headers().get("Connection"));
        assertEquals(-1, client.read());
        assertInstanceOf(SlowPeerException.class, failure.get(30, TimeUnit.SECONDS));
        assertEquals(1, server.millrace().getSlowRequests());
    }

    private void assertAnswers408InOneLine(Handler handler) throws Exception {
        try (TestServer started = start(handler);
                RawClient client = post("/");
                Logged jetty = new Logged("org.eclipse.jetty");
                Logged all = new Logged("dev.millrace", JettyLevel.INFO)) {
            clock.pass(SILENCE_SECONDS - 1);
            assertEquals(0, server.millrace().getSlowRequests());
            clock.pass(1);
            assertAnswers408(client);
            Await.until("logged", () -> all.count("was too slow (request content)") == 1);
            assertEquals(1, all.count(""));
        }
    }

    @Test
    void isAnswered408AndLoggedInOneLine() throws Exception {
        assertAnswers408InOneLine(application);
    }

    @Test
    void isAnswered408OfAServletAndLoggedInOneLine() throws Exception {
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(new ServletHolder(new Servlet()), "/*");
        assertAnswers408InOneLine(context);
    }

    @Test
    void isEndedWhenItTrickles() throws Exception {
        try (TestServer started = start(application);
                RawClient client = post("/")) {
            for (int i = 0; i < GRACE_SECONDS; i++) {
                assertEquals(0, server.millrace().getSlowRequests());
                long bytes = bytesIn();
                client.send("x");
                Await.until("read", () -> bytesIn() > bytes);
                awaitWaiting();
            }
            clock.pass(1);
            assertAnswers408(client);
        }
    }

    /** Its thread takes the interest of a key back late, when somebody may wait for content again. */
    @Test
    void isEndedThoughTheSelectorIsLate() throws Exception {
        assumeTrue(connectors.name().startsWith("NIO"), "no selector");
        try (TestServer started = start(application);
                RawClient client = post("/")) {
            clock.pass(SILENCE_SECONDS - 1);
            key().interestOps(0);
            clock.pass(1);
            assertEquals(1, server.millrace().getSlowRequests());
            assertAnswers408(client);
        }
    }

    private SelectionKey key() {
        var endPoint = (SocketChannelEndPoint)
                server.connector().getConnectedEndPoints().iterator().next();
        return server.connector().getSelectorManager().getBeans(ManagedSelector.class).stream()
                .map(selector -> endPoint.getChannel().keyFor(selector.getSelector()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void isClosedWhenTheApplicationDoesNotAnswer() throws Exception {
        try (TestServer started = start(application);
                RawClient client = post("/deaf")) {
            clock.pass(SILENCE_SECONDS);
            assertEquals(
                    1,
                    server.millrace().getSlowRequests(),
                    "by the look, and not with an end that another may overtake");
            assertInstanceOf(SlowPeerException.class, failure.get(30, TimeUnit.SECONDS));
            clock.pass(GRACE_SECONDS - 1);
            assertTrue(
                    server.connector().getConnectedEndPoints().stream().allMatch(EndPoint::isOpen),
                    "no time to answer");
            clock.pass(1);
            Await.until(
                    "closed",
                    () -> server.connector().getConnectedEndPoints().stream().noneMatch(EndPoint::isOpen));
            assertEquals(1, server.millrace().getSlowRequests());
            assertEquals(-1, client.read());
            released.countDown();
        }
    }

    /** Jetty's request drops what is there when it is ended: no other thread may read then, and take or give back the buffer. */
    @Test
    void isEndedByAThreadThatReadsAlone() throws Exception {
        CompletableFuture<Boolean> interested = new CompletableFuture<>();
        Handler asynchronous = Handlers.of((request, response, callback) -> {
            EndPoint endPoint = EndPoints.of(request);
            request.demand(() -> {
                interested.complete(endPoint.isFillInterested());
                failure.complete(request.read().getFailure());
                Response.writeError(request, response, callback, failure.join());
            });
            reading.release();
        });
        try (TestServer started = start(asynchronous);
                RawClient client = post("/")) {
            clock.pass(SILENCE_SECONDS);
            assertAnswers408(client);
            assertFalse(interested.get(30, TimeUnit.SECONDS), "the peer's bytes would be read by another");
        }
    }

    @Test
    void mayBeSlowWhenTheAnswerHasBegun() throws Exception {
        try (TestServer started = start(application);
                RawClient client = post("/talk")) {
            clock.pass(LONG_SECONDS);
            assertEquals(0, server.millrace().getSlowRequests());
            client.send(new byte[1000]);
            assertEquals(">had 1000", client.answer().text());
        }
    }

    @Test
    void mayBeSlowWhereNobodyWaits() throws Exception {
        try (TestServer started = start(application);
                RawClient client = post("/")) {
            server.millrace().setSlowRequestsAlwaysEnded(false);
            clock.pass(LONG_SECONDS);
            for (int i = 0; i < LONG_SECONDS; i++) {
                client.send("x");
                clock.pass(1);
            }
            assertEquals(0, server.millrace().getSlowRequests());
            assertEquals(
                    "had 1000",
                    client.send(new byte[1000 - LONG_SECONDS]).answer().text());
        }
    }

    /** Multiples of such a grace are beyond what a long holds. */
    @Test
    void mayBeSlowForEver() throws Exception {
        try (TestServer started = start(application);
                RawClient client = post("/")) {
            server.millrace().setSlowPeerGraceMillis(Long.MAX_VALUE);
            clock.pass(LONG_SECONDS);
            assertEquals(0, server.millrace().getSlowRequests());
            assertEquals("had 1000", client.send(new byte[1000]).answer().text());
        }
    }

    @Test
    void isEndedWhenItHoldsTheLastConnection() throws Exception {
        server = new TestServer(connectors::http);
        assumeTrue(server.connector().getAcceptors() > 0, "a limit needs an acceptor");
        clock = new WatchClock(server);
        server.millrace().setMaxConnections(1);
        // The slow peer stays: its connection lingers, and counts as one, until it has been silent for long enough.
        server.millrace().setLingeringCloseMillis(100);
        try (TestServer started = server.start(application);
                RawClient slow = post("/");
                RawClient next = server.client().get("/")) {
            Await.until("the next waits", LimitsContractTest::acceptorWaitsForAPermit);
            clock.pass(SILENCE_SECONDS);
            assertAnswers408(slow);
            assertEquals("had 0", next.answer().text());
        }
    }
}
