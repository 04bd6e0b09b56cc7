package dev.millrace.load.http;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connected socket, after its TLS handshake if there is one.
 *
 * @param socket    belongs to the caller
 * @param handshake null in clear text
 * @param below     the socket below TLS; null in clear text
 */
record Connected(
        Socket socket,
        TlsClient.@Nullable Handshake handshake,
        @Nullable EndNotingSocket below) {

    /**
     * Connects.
     *
     * @param known gets the socket before it connects
     * @throws IOException if that fails; the socket is closed then, and also when this program or the JDK is at fault
     */
    static Connected to(InetSocketAddress address, SocketSettings settings, Consumer<Closeable> known)
            throws IOException {
        EndNotingSocket socket = new EndNotingSocket();
        try {
            known.accept(socket);
            if (settings.receiveBufferBytes() > 0) {
                // Before connect: the window scale is agreed on in the SYN (RFC 7323).
                socket.setReceiveBufferSize(settings.receiveBufferBytes());
            }
            socket.setTcpNoDelay(true);
            if (settings.source() != null) {
                socket.bind(new InetSocketAddress(settings.source(), 0));
            }
            socket.connect(address, settings.connectTimeoutMillis());
            if (settings.tls() == null) {
                return new Connected(socket, null, null);
            }
            TlsClient.Secured secured = settings.tls().secure(socket, settings.connectTimeoutMillis());
            return new Connected(secured.socket(), secured.handshake(), socket);
        } catch (IOException | RuntimeException | StackOverflowError e) {
            socket.close();
            throw e;
        }
    }
}
