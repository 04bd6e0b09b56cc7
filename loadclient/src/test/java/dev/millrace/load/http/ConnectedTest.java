package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connect that fails by a fault of this program or of a library. The client goes on, and may connect again and again. */
class ConnectedTest {

    /** HEADERS whose only field is one of HPACK's table, in which there are not so many. */
    private static final byte[] NO_SUCH_FIELD = {0, 0, 1, 1, 4, 0, 0, 0, 1, (byte) 0xfe};

    private final AtomicReference<Closeable> known = new AtomicReference<>();

    private void assertClosed() {
        assertTrue(((Socket) known.get()).isClosed());
    }

    @Test
    @Timeout(30)
    void aSocketWhoseHandshakeCannotBeginIsClosed() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Target target = Target.of("https://127.0.0.1:" + listener.getLocalPort() + "/");
            TlsSettings tls = new TlsSettings(null, List.of(), List.of("no such suite"), false);
            SocketSettings settings = SocketSettings.to(target, tls, Protocol.HTTP1, null, 0, 0);
            assertThrows(IllegalArgumentException.class, () -> Connected.to(target.address(), settings, known::set));
        }
        assertClosed();
    }

    @Test
    @Timeout(30)
    void aConnectionWhoseBeginCannotBeReadIsClosed() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            InetSocketAddress address = (InetSocketAddress) listener.getLocalSocketAddress();
            SocketSettings settings = new SocketSettings(null, 0, 0, null, Protocol.H2C);
            Thread server = new Thread(() -> {
                try (Socket socket = listener.accept()) {
                    socket.getOutputStream().write(NO_SUCH_FIELD);
                    socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (IOException ignored) {
                    // The client has given up.
                    return;
                }
            });
            server.start();
            assertThrows(BadResponseException.class, () -> Http2Connection.open(address, settings, known::set));
            assertClosed();
            server.join();
        }
    }
}
