package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.EOFException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of HTTP/2 that are read together: whatever one of them does, the others are answered, and what was written leaves. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class Http2TurnsContractTest {
    private static final String[] QUICK = quick(8);

    @Parameter
    Connectors connectors;

    private final CountDownLatch released = new CountDownLatch(1);
    private TestServer server;
    private RawClient client;
    private Http2Frames frames;

    private final Handler mixed = Handlers.of((request, response, callback) -> {
        switch (Request.getPathInContext(request)) {
            case "/slow" -> {
                awaitRelease();
                Content.Sink.write(response, true, "slow", callback);
            }
            case "/part" -> {
                Content.Sink.write(response, false, StandardCharsets.US_ASCII.encode("part"));
                awaitRelease();
                Content.Sink.write(response, true, "whole", callback);
            }
            case "/echo" -> Content.Sink.write(response, true, Content.Source.asString(request), callback);
            case "/throws" -> throw new IllegalStateException("expected by the test");
            case "/large" -> response.write(true, ByteBuffer.allocate(50_000), callback);
            default -> Content.Sink.write(response, true, "quick", callback);
        }
    });

    private void awaitRelease() throws InterruptedException {
        assertTrue(released.await(30, TimeUnit.SECONDS), "released");
    }

    private static String[] quick(int requests) {
        String[] paths = new String[requests];
        Arrays.fill(paths, "/quick");
        return paths;
    }

    private void start(boolean secure) throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        ConnectionFactory[] factories = secure
                ? new ConnectionFactory[] {
                    connectors.tls(new Tls().server(), "h2"), new HTTP2ServerConnectionFactory(configuration)
                }
                : new ConnectionFactory[] {new HTTP2CServerConnectionFactory(configuration)};
        server = new TestServer(s -> connectors.on(s, factories));
        server.start(mixed);
        client = secure ? new Tls().over(new Socket("127.0.0.1", server.port())) : server.client();
        frames = new Http2Frames(client);
        // Requests are known to be short when they no longer load classes.
        for (int i = 0; i < 20; i++) {
            frames.getTogether(QUICK);
            assertAllQuick(frames.contents(QUICK.length));
        }
    }

    private static void assertAllQuick(Map<Integer, byte[]> answers) {
        answers.forEach((stream, content) ->
                assertEquals("quick", new String(content, StandardCharsets.US_ASCII), () -> "stream " + stream));
    }

    @AfterEach
    void close() throws Exception {
        released.countDown();
        client.close();
        server.awaitNoEndPoints();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneThatWaitsHoldsUpNone(boolean secure) throws Exception {
        start(secure);
        for (int round = 0; round < 3; round++) {
            frames.getTogether("/quick", "/slow", "/quick", "/quick");
            assertAllQuick(frames.contents(3));
        }
        released.countDown();
        assertEquals(3, frames.contents(3).size());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasFlushedLeavesBeforeItsHandlerWaits(boolean secure) throws Exception {
        start(secure);
        frames.getTogether("/quick", "/part");
        int stream = frames.lastStream();
        assertEquals("part", frames.part(stream));
        released.countDown();
        assertEquals("whole", new String(frames.content(stream), StandardCharsets.US_ASCII));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void contentIsReadForOneThatAwaitsIt(boolean secure) throws Exception {
        start(secure);
        for (int round = 0; round < 3; round++) {
            int stream = frames.postTogether("/echo", "/quick");
            assertEquals("quick", frames.content());
            frames.send(stream, new byte[5]);
            assertArrayEquals(new byte[5], frames.content(stream));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneThatFailsTakesNoneWithIt(boolean secure) throws Exception {
        start(secure);
        frames.getTogether("/throws", "/quick", "/throws", "/quick");
        assertEquals(4, frames.contents(4).size());
        frames.getTogether(QUICK);
        assertAllQuick(frames.contents(QUICK.length));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void longAnswersAndShortOnesAreWhole(boolean secure) throws Exception {
        start(secure);
        frames.openWindows();
        frames.getTogether("/quick", "/large", "/quick", "/large", "/quick");
        Map<Integer, byte[]> answers = frames.contents(5);
        assertEquals(
                100_015,
                answers.values().stream().mapToInt(content -> content.length).sum());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyAreAnswered(boolean secure) throws Exception {
        start(secure);
        for (int round = 0; round < 20; round++) {
            frames.getTogether(quick(100));
            Map<Integer, byte[]> answers = frames.contents(100);
            assertEquals(100, answers.size());
            assertAllQuick(answers);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allAreAnsweredBeforeTheConnectionEnds(boolean secure) throws Exception {
        start(secure);
        frames.getTogetherAndGoAway(QUICK);
        assertAllQuick(frames.contents(QUICK.length));
        assertEquals(frames.lastStream(), frames.awaitGoAway());
        assertThrows(EOFException.class, () -> frames.content());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void othersAreServedWhileAllOfAConnectionWait(boolean secure) throws Exception {
        start(secure);
        String[] slow = new String[20];
        Arrays.fill(slow, "/slow");
        frames.getTogether(slow);
        try (Socket socket = new Socket("127.0.0.1", server.port());
                RawClient other = secure ? new Tls().over(socket) : new RawClient(socket)) {
            Http2Frames others = new Http2Frames(other);
            others.getTogether(QUICK);
            assertAllQuick(others.contents(QUICK.length));
        }
        released.countDown();
        assertEquals(slow.length, frames.contents(slow.length).size());
        frames.getTogether(QUICK);
        assertAllQuick(frames.contents(QUICK.length));
    }
}
