package dev.millrace.connector;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.stream.Stream;
import org.eclipse.jetty.server.ServerConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The options of an accepted socket. Jetty sets them by a {@link Socket}, which the JDK keeps with the channel for as
 * long as that lives. It takes 96 bytes, of some 5,000 that an idle connection takes.
 */
final class AcceptedSocket {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptedSocket.class);

    private AcceptedSocket() {}

    /** Whether a class, or one between it and the connector's, overrides Jetty's {@code configure(Socket)}. */
    static boolean isConfiguredBetween(Class<?> type, Class<?> connector) {
        return Stream.<Class<?>>iterate(type, c -> c != connector, Class::getSuperclass)
                .flatMap(c -> Stream.of(c.getDeclaredMethods()))
                .anyMatch(method -> method.getName().equals("configure")
                        && method.getParameterCount() == 1
                        && method.getParameterTypes()[0] == Socket.class);
    }

    /** As {@code ServerConnector.configure}. */
    static void configure(SocketChannel channel, ServerConnector connector) throws IOException {
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, connector.getAcceptedTcpNoDelay());
            if (connector.getAcceptedReceiveBufferSize() > -1) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, connector.getAcceptedReceiveBufferSize());
            }
            if (connector.getAcceptedSendBufferSize() > -1) {
                channel.setOption(StandardSocketOptions.SO_SNDBUF, connector.getAcceptedSendBufferSize());
            }
        } catch (SocketException x) {
            // The peer may be gone already: the thread that reads finds out.
            LOG.debug("Cannot set the options of {}: {}", channel, x.toString());
        }
    }
}
