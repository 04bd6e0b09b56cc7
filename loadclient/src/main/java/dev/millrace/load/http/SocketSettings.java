package dev.millrace.load.http;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a client's sockets.
 *
 * @param source               local address to connect from; null leaves it to the system
 * @param receiveBufferBytes   SO_RCVBUF; 0 leaves it to the system
 * @param connectTimeoutMillis bound on connecting, and on each read of a TLS handshake; 0 where the caller closes what
 *                             takes too long. After a connect with a bound, the JDK leaves the socket non-blocking.
 *                             Each read that waits is then three system calls in place of one
 * @param tls                  makes TLS connections for one thread; null for clear text
 * @param protocol             spoken on them
 */
public record SocketSettings(
        @Nullable InetAddress source,
        int receiveBufferBytes,
        int connectTimeoutMillis,
        @Nullable TlsClient tls,
        Protocol protocol) {

    /**
     * Settings for connections to a server.
     *
     * @param server whose URL tells whether they are TLS
     * @param rule   how TLS connections are made
     */
    public static SocketSettings to(
            Target server,
            TlsSettings rule,
            Protocol protocol,
            @Nullable InetAddress source,
            int receiveBufferBytes,
            int connectTimeoutMillis) {
        TlsClient tls = server.secure() ? new TlsClient(rule, server, protocol.offered()) : null;
        return new SocketSettings(source, receiveBufferBytes, connectTimeoutMillis, tls, protocol);
    }

    /** HTTP/1.1 in clear text. */
    public SocketSettings(@Nullable InetAddress source, int receiveBufferBytes, int connectTimeoutMillis) {
        this(source, receiveBufferBytes, connectTimeoutMillis, null, Protocol.HTTP1);
    }
}
