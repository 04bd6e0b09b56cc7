package dev.millrace.load.http;

import java.net.InetAddress;

/**
 * How sockets are made.
 *
 * @param source               local address to connect from; null leaves it to the system
 * @param receiveBufferBytes   SO_RCVBUF, 0 leaves it to the system
 * @param connectTimeoutMillis bound on connecting
 */
public record SocketSettings(InetAddress source, int receiveBufferBytes, int connectTimeoutMillis) {
}
