package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server of HTTP/2 that says much, and never its settings. */
class Http2BeginTest {

    /** The bytes of a frame without payload of an unknown type, which is ignored, and of a PING, which wants an answer. */
    private static final Map<String, byte[]> FRAMES = Map.of(
            "unknown", new byte[] {0, 0, 0, 0x55, 0, 0, 0, 0, 0},
            "PING", new byte[] {0, 0, 8, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});

    /** Nobody watches over the probe before a run, so that the connection itself must give up. */
    @ParameterizedTest
    @ValueSource(strings = {"unknown", "PING"})
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aServerWithoutSettingsIsGivenUp(String type) throws Exception {
        byte[] frame = FRAMES.get(type);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            CompletableFuture<Void> server = CompletableFuture.runAsync(() -> babble(listener, frame));
            SocketSettings settings = new SocketSettings(null, 0, 300, null, Protocol.H2C);
            InetSocketAddress address = (InetSocketAddress) listener.getLocalSocketAddress();
            BadResponseException failure = assertThrows(
                    BadResponseException.class, () -> Http2Connection.open(address, settings, socket -> {}));
            assertEquals(FailureKind.CONNECT, failure.kind());
            server.join();
        }
    }

    /** Sends a frame again and again until the client closes, and reads nothing. */
    private static void babble(ServerSocket listener, byte[] frame) {
        try (Socket socket = listener.accept()) {
            while (true) {
                socket.getOutputStream().write(frame);
            }
        } catch (IOException ignored) {
            // The client has given up.
            return;
        }
    }
}
