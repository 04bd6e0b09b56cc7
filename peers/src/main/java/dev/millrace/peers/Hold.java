package dev.millrace.peers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Holds many connections to a server on 127.0.0.1. They are idle after one request each, or trickle a request that never
 * ends, a byte a second. A trickling connection that the server closes is opened again.
 *
 * <p>{@code java -cp millrace-peers.jar dev.millrace.peers.Hold PORT COUNT [trickle]} prints {@code holding COUNT} when
 * all are open, and on SIGTERM how many of them the server has closed.
 */
final class Hold {
    /** It has the fields that most clients send, because servers keep some of them for the next request. */
    private static final String HEAD = "GET /hello HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: hold\r\nAccept: */*\r\n";
    /** An address has some 28,000 ports, and those of the last minute's connections are not free yet. */
    private static final int CONNECTIONS_PER_ADDRESS = 1_000;
    /** The bytes of a second are spread over it, so that the server is not woken for all at once. */
    private static final int PARTS_OF_A_SECOND = 100;

    private final int port;
    private final boolean trickle;
    private final SocketChannel[] channels;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
    private int closed;

    private Hold(int port, int count, boolean trickle) {
        this.port = port;
        this.trickle = trickle;
        channels = new SocketChannel[count];
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 2 || args.length > 3 || (args.length == 3 && !args[2].equals("trickle"))) {
            System.err.println("usage: Hold PORT COUNT [trickle]");
            System.exit(2);
        }
        Hold hold = new Hold(Integer.parseInt(args[0]), Integer.parseInt(args[1]), args.length == 3);
        for (int i = 0; i < hold.channels.length; i++) {
            hold.channels[i] = hold.open(i);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(hold::report, "report"));
        System.out.println("holding " + hold.channels.length);
        for (int part = 0; ; part++) {
            TimeUnit.MILLISECONDS.sleep(1000 / PARTS_OF_A_SECOND);
            if (hold.trickle) {
                hold.trickle(part % PARTS_OF_A_SECOND);
            }
        }
    }

    private SocketChannel open(int number) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.bind(new InetSocketAddress("127.0.0." + (2 + number / CONNECTIONS_PER_ADDRESS), 0));
        channel.connect(new InetSocketAddress("127.0.0.1", port));
        String request = trickle ? HEAD + "X-Trickled: " : HEAD + "\r\n";
        channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
        if (!trickle) {
            awaitAnswer(channel);
        }
        channel.configureBlocking(false);
        return channel;
    }

    // The answer has 13 bytes of text, by which its end is found without reading its fields.
    private void awaitAnswer(SocketChannel channel) throws IOException {
        buffer.clear();
        String text = "";
        while (!text.endsWith("Hello, World!")) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("closed by the server after " + text);
            }
            text = StandardCharsets.US_ASCII.decode(buffer.duplicate().flip()).toString();
        }
    }

    private synchronized void trickle(int part) throws IOException {
        for (int i = part; i < channels.length; i += PARTS_OF_A_SECOND) {
            if (isClosed(channels[i]) || !takesAByte(channels[i])) {
                closed++;
                channels[i].close();
                channels[i] = open(i);
            }
        }
    }

    private static boolean takesAByte(SocketChannel channel) {
        try {
            channel.write(ByteBuffer.wrap(new byte[] {'x'}));
            return true;
        } catch (IOException ignored) {
            // Reset by the server: counted by the caller.
            return false;
        }
    }

    private boolean isClosed(SocketChannel channel) {
        try {
            return channel.read(buffer.clear()) != 0;
        } catch (IOException ignored) {
            // Reset by the server: counted by the caller.
            return true;
        }
    }

    private synchronized void report() {
        if (!trickle) {
            for (SocketChannel channel : channels) {
                closed += isClosed(channel) ? 1 : 0;
            }
        }
        System.out.println("closed " + closed);
    }
}
