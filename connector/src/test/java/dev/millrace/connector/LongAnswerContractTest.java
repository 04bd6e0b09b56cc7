package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.jetty.Http2Internals;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.util.NanoTime;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream of HTTP/2 is not idle while its answer leaves, though the client's windows are wide and it sends no frame. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class LongAnswerContractTest {
    private static final int BYTES = 4 << 20;
    private static final int PAUSE_MILLIS = 300;

    @Parameter
    Connectors connectors;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keepsItsStreamFromBeingIdle(boolean secure) throws Exception {
        Tls tls = new Tls();
        CompletableFuture<HTTP2Stream> answering = new CompletableFuture<>();
        try (TestServer server = new TestServer(s -> secure ? connectors.http2(s, tls) : connectors.http2(s))) {
            server.connector().setAcceptedSendBufferSize(16 * 1024);
            server.start(Handlers.of((request, response, callback) -> {
                HTTP2Session session =
                        Http2Internals.sessionOf(request.getConnectionMetaData().getConnection());
                answering.complete(session.getStream(1));
                response.write(true, ByteBuffer.allocate(BYTES), callback);
            }));
            RawClient plain = new RawClient(server.port(), 4096);
            try (RawClient client = secure ? tls.over(plain.socket()) : plain) {
                Http2Frames frames = new Http2Frames(client).openWindows().get("/");
                HTTP2Stream stream = answering.get(30, TimeUnit.SECONDS);
                // The first part has filled all buffers.
                Await.until(
                        "the server waits for its peer",
                        () -> NanoTime.millisUntil(stream.getExpireNanoTime())
                                < stream.getIdleTimeout() - PAUSE_MILLIS);
                long before = stream.getExpireNanoTime();
                int bytes = 0;
                while (bytes < BYTES / 2) {
                    bytes += frames.next(1).length;
                }
                Await.until("is not idle", () -> NanoTime.isBefore(before, stream.getExpireNanoTime()));
                assertEquals(BYTES, bytes + frames.contentBytes().length);
            }
        }
    }
}
