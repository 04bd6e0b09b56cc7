package dev.millrace.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;

/**
 * A port of the loopback interface for a server that a test starts, again and again. Nothing listens on a port that is
 * bound only, and no other program gets it.
 */
public final class HeldPort implements AutoCloseable {

    private static final int BACKLOG = 1024;

    private final Socket bound = new Socket();

    /** Holds a free port. */
    public HeldPort() throws IOException {
        bound.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Its number. */
    public int number() {
        return bound.getLocalPort();
    }

    /** Listens on the port that another process of the same user holds. */
    static ServerSocket listener(int number) throws IOException {
        ServerSocket listener = new ServerSocket();
        listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), number), BACKLOG);
        return listener;
    }

    @Override
    public void close() throws IOException {
        bound.close();
    }
}
