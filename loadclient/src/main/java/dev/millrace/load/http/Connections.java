package dev.millrace.load.http;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** Opens connections of any protocol. Stateless. */
public final class Connections {

    private Connections() {}

    /**
     * Connects. The caller owns the connection.
     *
     * @param settings settings of the socket, and the protocol
     * @param chunk    buffer for body bytes; connections that one thread uses in turn may share it
     * @param known    gets the socket before it connects; any thread may close it, which ends connecting and every
     *                 exchange
     * @throws IOException see {@link Failure#ofConnect}
     */
    public static Connection open(
            InetSocketAddress address, SocketSettings settings, byte[] chunk, Consumer<Closeable> known)
            throws IOException {
        return settings.protocol() == Protocol.HTTP1
                ? HttpConnection.open(address, settings, chunk, known)
                : Http2Connection.open(address, settings, known);
    }
}
