package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers of HTTP/2 that wait, for whatever it is: other requests of their connection are answered, and what they wait for is read. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class Http2SlowHandlerContractTest {
    private static final int SLOW = 5;
    // More than the windows of a client that has not opened them.
    private static final int BYTES = 200_000;

    @Parameter
    Connectors connectors;

    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch waiting = new CountDownLatch(SLOW);
    private TestServer server;
    private RawClient client;
    private Http2Frames frames;

    private final Handler handler = Handlers.of((request, response, callback) -> {
        switch (Request.getPathInContext(request)) {
            case "/slow" -> {
                waiting.countDown();
                released.await(30, TimeUnit.SECONDS);
                Content.Sink.write(response, true, "slow", callback);
            }
            case "/large" -> {
                Content.Sink.write(response, true, ByteBuffer.allocate(BYTES));
                callback.succeeded();
            }
            case "/echo" -> Content.Sink.write(response, true, Content.Source.asString(request), callback);
            default -> Content.Sink.write(response, true, "quick", callback);
        }
    });

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(connectors::http2);
        server.start(handler);
        client = server.client();
        frames = new Http2Frames(client);
        // A connection of which only quick requests are known.
        for (int i = 0; i < 3; i++) {
            assertEquals("quick", frames.get("/quick").content());
        }
    }

    @AfterEach
    void close() throws Exception {
        released.countDown();
        client.close();
        server.awaitNoEndPoints();
        server.close();
    }

    @Test
    void answersOthersMeanwhile() throws Exception {
        for (int i = 0; i < SLOW; i++) {
            frames.get("/slow");
        }
        assertEquals("quick", frames.get("/quick").content());
        Await.until("all wait at once", () -> waiting.getCount() == 0);
        try (RawClient other = server.client()) {
            assertEquals("quick", new Http2Frames(other).get("/quick").content());
        }
        released.countDown();
        assertEquals(SLOW, frames.contents(SLOW).size());
    }

    @Test
    void readsThatWindowsAreOpened() throws Exception {
        for (int i = 0; i < SLOW; i++) {
            frames.get("/large");
        }
        frames.openWindows();
        for (byte[] answer : frames.contents(SLOW).values()) {
            assertArrayEquals(new byte[BYTES], answer);
        }
    }

    @Test
    void readsTheContentThatIsAwaited() throws Exception {
        int stream = frames.post("/echo");
        frames.sendPart(stream, new byte[3]);
        assertEquals("quick", frames.get("/quick").content());
        frames.send(stream, new byte[2]);
        assertArrayEquals(new byte[5], frames.content(stream));
    }
}
