package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RandomBytes;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a graceful shutdown does with the streams of HTTP/2 (RFC 9113 section 6.8), and with connections that have none. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class Http2ShutdownContractTest {
    /** More than one write takes. */
    private static final int BYTES = 3_000_000;

    @Parameter
    Connectors connectors;

    private final byte[] content = RandomBytes.of(BYTES);
    private final CountDownLatch handling = new CountDownLatch(1);

    /** Answers the content of a request by another, larger one. */
    private final Handler slow = Handlers.of((request, response, callback) -> {
        if (request.getMethod().equals("GET")) {
            Content.Sink.write(response, true, "here", callback);
            return;
        }
        handling.countDown();
        assertEquals("body", new String(Handlers.content(request), StandardCharsets.UTF_8));
        response.write(true, ByteBuffer.wrap(content), callback);
    });

    /** A client of a server. */
    private interface Connect {
        RawClient to(TestServer server) throws Exception;
    }

    private TestServer plain() {
        return new TestServer(connectors::http2);
    }

    private GracefulHandler start(TestServer server, long shutdownIdleMillis) throws Exception {
        server.server().setStopTimeout(30_000);
        server.connector().setShutdownIdleTimeout(shutdownIdleMillis);
        GracefulHandler graceful = new GracefulHandler(slow);
        server.start(graceful);
        return graceful;
    }

    private static void close(TestServer server) {
        try {
            server.close();
        } catch (Exception x) {
            throw new IllegalStateException(x);
        }
    }

    @Test
    void answersWhatIsInFlightAndRefusesWhatComesMeanwhile() throws Exception {
        shutDown(plain(), TestServer::client);
    }

    @Test
    void answersWhatIsInFlightAndRefusesWhatComesMeanwhileOverTls() throws Exception {
        Tls tls = new Tls();
        shutDown(
                new TestServer(s -> connectors.http2(s, tls)),
                server -> tls.over(new Socket("127.0.0.1", server.port()), "h2"));
    }

    private void shutDown(TestServer server, Connect connect) throws Exception {
        GracefulHandler graceful = start(server, 30_000);
        try (RawClient client = connect.to(server)) {
            Http2Frames frames = new Http2Frames(client).openWindows();
            int inFlight = frames.post("/slow");
            assertTrue(handling.await(30, TimeUnit.SECONDS));
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> close(server));
            // Streams that are under way may still arrive.
            assertEquals(Integer.MAX_VALUE, frames.awaitGoAway());
            Await.until("shut down", graceful::isShutdown);
            String refusal = frames.get("/late").content();
            assertTrue(refusal.contains("503"), refusal);
            assertFalse(stopped.isDone());
            frames.send(inFlight, "body".getBytes(StandardCharsets.UTF_8));
            assertArrayEquals(content, frames.content(inFlight));
            assertEquals(inFlight + 2, frames.awaitGoAway());
            frames.goAway();
            assertEquals(-1, client.read());
            stopped.get(30, TimeUnit.SECONDS);
        }
    }

    /** A client that was told to go has nothing left to do, and stays. */
    @Test
    void endsAConnectionThatHasNothingInFlight() throws Exception {
        TestServer server = plain();
        start(server, 200);
        try (RawClient client = server.client()) {
            Http2Frames frames = new Http2Frames(client);
            assertEquals("here", frames.get("/").content());
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> close(server));
            assertEquals(Integer.MAX_VALUE, frames.awaitGoAway());
            assertEquals(1, frames.awaitGoAway());
            assertEquals(-1, client.read());
            stopped.get(30, TimeUnit.SECONDS);
        }
    }
}
