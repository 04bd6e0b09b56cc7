package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.Http2FrameServer;
import java.io.Closeable;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection of HTTP/2 that is closed when its peer can be told nothing more. */
class Http2CloseTest {

    /** The descriptor would stay open until the next garbage collection. */
    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void theSocketIsClosedThoughNoGoawayCanBeSent() throws Exception {
        AtomicReference<Socket> below = new AtomicReference<>();
        Consumer<Closeable> known = socket -> below.set((Socket) socket);
        SocketSettings settings = new SocketSettings(null, 0, 10_000, null, Protocol.H2C);
        // The server takes its first connection for the probe before a run, and sends its settings.
        try (Http2FrameServer server = new Http2FrameServer((peer, number) -> {})) {
            InetSocketAddress address = Target.of(server.url()).address();
            Http2Connection connection = Http2Connection.open(address, settings, known);
            below.get().shutdownOutput();
            connection.close();
            assertTrue(below.get().isClosed(), "it is still open");
        }
    }
}
