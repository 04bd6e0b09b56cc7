package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A request of HTTP/2 that ends by malformed trailers (RFC 9113 section 8.1) ends its connection, which Jetty is free to do (section 5.4.2).
 * A handler that has begun is told. One that has not is not called any more: where the trailers come at once with their request, that is for
 * the threads to decide, on Jetty's own connector too.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class Http2TrailersContractTest {
    private static final int PROTOCOL_ERROR = 1;
    private static final int CONNECTIONS = 50;

    @Parameter
    Connectors connectors;

    private final CountDownLatch reading = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();

    /** Reads the content of a request to its end. */
    private final Handler reader = Handlers.of((request, response, callback) -> {
        begun.incrementAndGet();
        reading.countDown();
        try {
            Content.Source.consumeAll(request);
        } catch (IOException x) {
            told.incrementAndGet();
            throw x;
        }
        callback.succeeded();
    });

    private TestServer server() {
        return new TestServer(connectors::http2);
    }

    @Test
    void aHandlerThatReadsIsToldOfThem() throws Exception {
        try (TestServer server = server().start(reader);
                RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            int stream = frames.post("/");
            frames.sendPart(stream, new byte[5]);
            assertTrue(reading.await(30, TimeUnit.SECONDS));
            frames.sendMalformedTrailers(stream);
            assertEquals(PROTOCOL_ERROR, frames.awaitGoAwayError());
            Await.until("told", () -> told.get() == 1);
            assertEquals(1, begun.get());
        }
    }

    @Test
    void thoseThatComeWithTheirRequestLeaveNoHandlerWaiting() throws Exception {
        try (TestServer server = server().start(reader)) {
            for (int i = 0; i < CONNECTIONS; i++) {
                try (RawClient client = server.client()) {
                    Http2Frames frames = new Http2Frames(client).openWindows();
                    frames.postWithMalformedTrailers("/");
                    assertEquals(PROTOCOL_ERROR, frames.awaitGoAwayError());
                }
            }
            server.awaitNoEndPoints();
            Await.until("all told", () -> told.get() == begun.get());
        }
    }
}
