package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.function.Function;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A client of HTTP/2 that goes away still sends what belongs to its last answer, window updates above all. The server closes as soon as
 * that is written, and must not reset the connection before the client has it.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class Http2LingeringCloseContractTest {
    private static final int BYTES = 200_000;
    private static final int SMALL_SOCKET_BUFFER_BYTES = 4096;
    private static final int LATE_FRAMES = 20;

    @TempDir
    static Path directory;

    @Parameter
    Connectors connectors;

    /** Makes the client's side of an accepted connection. */
    private interface Connect {
        RawClient over(Socket socket) throws Exception;
    }

    private void answersWhoGoesAway(Connect connect, Function<Server, ServerConnector> connector) throws Exception {
        byte[] content = TestFiles.write(directory, "content", BYTES);
        Handler handler = Handlers.bytes(content);
        TestServer server = new TestServer(connector);
        // Takes all of the answer.
        server.connector().setAcceptedSendBufferSize(2 * BYTES);
        try (server;
                Socket socket = new Socket()) {
            socket.setReceiveBufferSize(SMALL_SOCKET_BUFFER_BYTES);
            socket.connect(
                    new InetSocketAddress("127.0.0.1", server.start(handler).port()));
            RawClient client = connect.over(socket);
            Http2Frames frames = new Http2Frames(client).openWindows().get("/");
            frames.goAway();
            Await.until("accepted", () -> server.events().opened() > 0);
            server.awaitNoEndPoints();
            for (int i = 0; i < LATE_FRAMES; i++) {
                frames.openWindow(0, 1);
            }
            assertArrayEquals(content, frames.contentBytes());
            frames.awaitGoAway();
            assertEquals(-1, client.in().read());
        }
    }

    @Test
    void answersWhoGoesAway() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "closes at once");
        answersWhoGoesAway(RawClient::new, connectors::httpAndHttp2);
    }

    @Test
    void answersWhoGoesAwayOverTls() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "closes at once");
        Tls tls = new Tls();
        answersWhoGoesAway(socket -> tls.over(socket, "h2"), s -> connectors.http2(s, tls));
    }
}
