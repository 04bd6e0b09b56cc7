package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An answer that fails half-way is cut off by closing, and arrives as far as it has left. With bytes of the peer unread, a reset follows
 * the end of the output. Where the end has not left at that time the peer may see the reset alone, from Jetty's connector too.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class FailedAnswerContractTest {
    private static final byte[] BEGUN = "begun".getBytes(StandardCharsets.US_ASCII);
    private static final int MORE_THAN_SOCKETS_TAKE = 64 << 20;
    private static final int RECEIVE_BUFFER_BYTES = 4096;
    private static final int ATTEMPTS = 20;

    @Parameter
    Connectors connectors;

    /** Begins an answer, and fails when something of the peer is there that nobody has read. */
    private static Handler failingLate(Handlers.Handling begin) {
        return Handlers.of((request, response, callback) -> {
            begin.handle(request, response, callback);
            SocketChannel channel = EndPoints.channel(request);
            Await.until("more has come", () -> EndPoints.available(channel) > 0);
            callback.failed(new IllegalArgumentException("as asked"));
        });
    }

    private final Handler small =
            failingLate((request, response, callback) -> Content.Sink.write(response, false, ByteBuffer.wrap(BEGUN)));

    private final Handler large = failingLate((request, response, callback) ->
            response.write(false, ByteBuffer.allocate(MORE_THAN_SOCKETS_TAKE), Callback.NOOP));

    private static void ask(RawClient client, String version) throws Exception {
        client.send("GET / " + version + "\r\nHost: a\r\nConnection: close\r\n\r\n");
        for (String line = client.line(); !line.isEmpty(); line = client.line()) {
            assertFalse(line.startsWith("Content-Length"), line);
        }
        client.send("GET /more HTTP/1.1\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.0", "HTTP/1.1"})
    void endsThoughSomethingIsUnread(String version) throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(small);
                RawClient client = server.client()) {
            ask(client, version);
            assertArrayEquals(BEGUN, client.in().readAllBytes());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.0", "HTTP/1.1"})
    void mayBeResetBeforeItsEndHasLeft(String version) throws Exception {
        assumeFalse(connectors.name().startsWith("BIO"), "the handler's thread writes until the peer has taken all");
        boolean isReset = false;
        try (TestServer server = new TestServer(connectors::http).start(large)) {
            // The selector closes the socket some time after the channel was closed, and the client may be faster.
            for (int i = 0; i < ATTEMPTS && !isReset; i++) {
                try (RawClient client = new RawClient(server.port(), RECEIVE_BUFFER_BYTES)) {
                    ask(client, version);
                    server.awaitNoEndPoints();
                    isReset = isReset(client);
                }
            }
        }
        assertTrue(isReset);
    }

    private static boolean isReset(RawClient client) throws IOException {
        try {
            client.in().readAllBytes();
            return false;
        } catch (SocketException reset) {
            return true;
        }
    }
}
