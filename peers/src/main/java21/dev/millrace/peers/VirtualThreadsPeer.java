package dev.millrace.peers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * No server, but the least that the JDK needs for one: a virtual thread for each connection. It reads at most 512 bytes
 * at a time, and gives the answer of {@code /hello} at every end of a request head. What a server on virtual threads
 * costs beyond this is its own.
 */
final class VirtualThreadsPeer implements Peer {
    private static final System.Logger LOG = System.getLogger(VirtualThreadsPeer.class.getName());
    private static final int END_OF_HEAD = 0x0d0a0d0a;
    private static final int READ_BYTES = 512;

    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
    private ServerSocketChannel listener;
    private ByteBuffer answer;

    @Override
    public int start(Settings settings) throws IOException {
        byte[] body = HelloServlet.body();
        byte[] head = ("HTTP/1.1 200 OK\r\nContent-Type: " + HelloServlet.CONTENT_TYPE + "\r\nContent-Length: " + body.length
            + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
        answer = ByteBuffer.allocateDirect(head.length + body.length).put(head).put(body).flip();
        listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", settings.port()), BACKLOG);
        Thread.ofPlatform().name("virtual-threads-acceptor").start(this::accept);
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    // It ends with the first failure, which a measurement shows by the connections that are not served.
    private void accept() {
        try {
            while (true) {
                SocketChannel connection = listener.accept();
                connection.setOption(StandardSocketOptions.TCP_NODELAY, true);
                connections.add(connection);
                Thread.ofVirtual().start(() -> serve(connection));
            }
        } catch (AsynchronousCloseException x) {
            LOG.log(System.Logger.Level.DEBUG, "Stopped: {0}", x.toString());
        } catch (IOException x) {
            System.err.println("virtual-threads accepts no more connections: " + x);
        }
    }

    private void serve(SocketChannel connection) {
        try (connection) {
            ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
            int last = 0;
            while (connection.read(buffer.clear()) >= 0) {
                for (buffer.flip(); buffer.hasRemaining();) {
                    last = (last << 8) | (buffer.get() & 0xff);
                    if (last == END_OF_HEAD) {
                        answer(connection);
                    }
                }
            }
        } catch (IOException x) {
            LOG.log(System.Logger.Level.DEBUG, "The client has gone, or this server stops: {0}", x.toString());
        } finally {
            connections.remove(connection);
        }
    }

    private void answer(SocketChannel connection) throws IOException {
        ByteBuffer left = answer.duplicate();
        while (left.hasRemaining()) {
            connection.write(left);
        }
    }

    @Override
    public void stop() throws IOException {
        listener.close();
        for (SocketChannel connection : connections) {
            connection.close();
        }
    }
}
