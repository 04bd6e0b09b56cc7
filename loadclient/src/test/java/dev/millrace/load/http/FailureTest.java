package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A failure to connect is the server's, or the lack of a local address or port. */
class FailureTest {

    @Test
    void aMissingLocalAddressIsNotTheServersFault() throws IOException {
        // connect(2) from a port range that is used up, and bind(2) to a foreign address, both fail with EADDRNOTAVAIL.
        SocketSettings foreign = new SocketSettings(InetAddress.getByName("192.0.2.1"), 0, 1000);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", listener.getLocalPort());
            IOException failure =
                    assertThrows(IOException.class, () -> HttpConnection.open(address, foreign, new byte[1]));
            assertEquals(FailureKind.PORT_EXHAUSTION, Failure.ofConnect(failure).kind());
        }
        assertEquals(
                FailureKind.PORT_EXHAUSTION,
                Failure.ofConnect(new NoRouteToHostException("Cannot assign requested address"))
                        .kind());
    }

    @Test
    void aRefusedConnectIsTheServersFault() throws IOException {
        int port;
        try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = gone.getLocalPort();
        }
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
        ConnectException failure = assertThrows(
                ConnectException.class,
                () -> HttpConnection.open(address, new SocketSettings(null, 0, 1000), new byte[1]));
        assertEquals(FailureKind.CONNECT, Failure.ofConnect(failure).kind());
        assertEquals(
                FailureKind.CONNECT,
                Failure.ofConnect(new SocketTimeoutException("Connect timed out"))
                        .kind());
        assertEquals(
                FailureKind.OTHER,
                Failure.ofConnect(new IOException("too many open files")).kind());
    }

    @Test
    void quotedBytesAreOneBoundedLine() {
        Failure failure = new Failure(FailureKind.OTHER, "a\r\nb\u0000c" + "x".repeat(1000));
        assertTrue(failure.detail().startsWith("a b cxxx"));
        assertTrue(failure.detail().length() < 250);
        // Terminals take U+009B for the beginning of a command, and U+0085 for the end of a line.
        assertEquals("a 31mb c", new Failure(FailureKind.OTHER, "a\u009b31mb\u0085c").detail());
    }

    /** A run is written in UTF-8, which has no halves of pairs. */
    @Test
    void quotedBytesAreWholeCharacters() {
        for (String quoted : List.of("x".repeat(199) + "\uD83D\uDE00", "\uD83D", "\uDE00")) {
            String detail = new Failure(FailureKind.OTHER, quoted).detail();
            assertTrue(StandardCharsets.UTF_8.newEncoder().canEncode(detail), detail);
        }
        assertEquals("\uD83D\uDE00", new Failure(FailureKind.OTHER, "\uD83D\uDE00").detail());
    }

    @Test
    void aResetWhileConnectingIsOne() {
        assertEquals(
                FailureKind.RESET,
                Failure.ofConnect(new SocketException("Connection reset")).kind());
    }
}
