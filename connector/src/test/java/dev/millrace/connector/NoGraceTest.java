package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Without a grace, {@code slowPeerGraceMillis=0}, a peer is judged by what it did until the look. */
@Timeout(60)
class NoGraceTest {
    private static final int LARGE_BYTES = 32 * 1024 * 1024;
    private static final int SMALL_BUFFER_BYTES = 16 * 1024;
    /** The least of a blocking call. */
    private static final int LEAST_BYTES = 4 * 1024;

    private static TestServer server(Connectors connectors) {
        TestServer server = new TestServer(connectors::http);
        server.sweeper().setPeriodMillis(50);
        server.millrace().setSlowPeerGraceMillis(0);
        server.millrace().setAcceptedSendBufferSize(SMALL_BUFFER_BYTES);
        return server;
    }

    private static Handler large() {
        return Handlers.of((request, response, callback) ->
                response.write(true, ByteBuffer.allocateDirect(LARGE_BYTES), callback));
    }

    private static RawClient client(TestServer server) throws Exception {
        return new RawClient(server.start(large()).port(), SMALL_BUFFER_BYTES).get("/");
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void aPeerThatTakesNothingIsEnded(Connectors connectors) throws Exception {
        TestServer server = server(connectors);
        try (server;
                RawClient client = client(server)) {
            assertEquals('H', client.read());
            // Not before: a busy machine may hold up the server in its first write.
            server.millrace().setMinResponseBytesPerSecond(100_000);
            Await.until("ended", () -> server.millrace().getSlowResponses() == 1);
            server.awaitNoEndPoints();
        }
    }

    /** A call tells of no progress until it returns: one that is long hides what the peer takes. */
    @ParameterizedTest
    @EnumSource(names = "BIO_PLATFORM")
    void aCallIsAsSmallAsItsPeerIsSlow(Connectors connectors) throws Exception {
        TestServer server = server(connectors);
        server.millrace().setMinResponseBytesPerSecond(1);
        try (server;
                RawClient client = client(server)) {
            byte[] some = new byte[256];
            Await.until("a small call", () -> {
                read(client, some);
                return server.connector().getConnectedEndPoints().stream()
                        .anyMatch(endPoint -> ((BioEndPoint) endPoint).getBytesInCall() == LEAST_BYTES);
            });
        }
    }

    private static void read(RawClient client, byte[] some) {
        try {
            client.in().readNBytes(some, 0, some.length);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }
}
