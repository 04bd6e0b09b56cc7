package dev.millrace.conformance.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Sends one input on one connection to one server, piece by piece, until the server has ended the connection. One
 * thread calls {@link #advance} until that returns an outcome.
 */
final class Conversation implements AutoCloseable {
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Input input;
    private final Tested tested;
    private final ByteBuffer read;
    private final SocketChannel channel;
    private final int port;
    private final ByteBuffer unsent;
    private final ByteArrayOutputStream answer = new ByteArrayOutputStream();
    private int cuts;
    private boolean isOutputEnded;
    private Outcome.End end;
    private long nowNanos;
    private long lastNanos;

    /**
     * Connects.
     *
     * @param selector finds out when there is something to read; its keys have the conversation attached
     * @param read buffer for reads, which conversations of one thread share
     * @param nowNanos by the clock of {@link #advance}
     */
    Conversation(Input input, Tested tested, Selector selector, ByteBuffer read, long nowNanos) throws IOException {
        this.lastNanos = nowNanos;
        this.input = input;
        this.tested = tested;
        this.read = read;
        this.unsent = ByteBuffer.wrap(input.bytes());
        channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        // The kernel completes the connect without the server, so that it does not block for long.
        channel.connect(tested.address());
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, this);
        port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    /**
     * Sends and reads as much as is possible without waiting.
     *
     * @param isReadable whether there is something to read
     * @param clockNanos time by which the conversation counts as stuck
     * @return the outcome, null until there is one
     */
    Outcome advance(boolean isReadable, long clockNanos) {
        nowNanos = clockNanos;
        if (isReadable) {
            read();
        }
        send();
        if (end == null && nowNanos - lastNanos > STUCK_NANOS) {
            end = Outcome.End.STUCK;
            answer.writeBytes(("\nSTUCK: " + tested.describe(port)).getBytes(StandardCharsets.ISO_8859_1));
        }
        return end == null
                ? null
                : Outcome.of(answer.toByteArray(), end, tested.address().getPort());
    }

    private void read() {
        try {
            int bytes = channel.read(read.clear());
            while (bytes > 0) {
                lastNanos = nowNanos;
                answer.write(read.array(), read.arrayOffset(), bytes);
                bytes = channel.read(read.clear());
            }
            if (bytes < 0) {
                end = Outcome.End.FIN;
            }
        } catch (IOException reset) {
            end = Outcome.End.RESET;
        }
    }

    // When the server has ended the connection, the rest is sent at once: servers must bear that too.
    private void send() {
        while (!isOutputEnded && (end != null || mayGoOn())) {
            lastNanos = nowNanos;
            try {
                if (unsent.hasRemaining()) {
                    sendPiece();
                } else {
                    isOutputEnded = true;
                    channel.shutdownOutput();
                }
            } catch (IOException refused) {
                // The server has closed the connection. What it sent before can still be read.
                isOutputEnded = true;
            }
        }
    }

    private boolean mayGoOn() {
        int sent = unsent.position();
        boolean atRest =
                unsent.hasRemaining() ? cuts > 0 && input.cuts().get(cuts - 1).atRest() : !input.endsAtOnce();
        return !atRest || tested.rests(port, sent);
    }

    private void sendPiece() throws IOException {
        int limit = cuts < input.cuts().size() ? input.cuts().get(cuts).position() : input.bytes().length;
        channel.write(unsent.limit(limit));
        if (unsent.hasRemaining()) {
            // Inputs are small: the kernel takes them whole unless the server reads nothing.
            throw new IOException("the server reads nothing");
        }
        unsent.limit(input.bytes().length);
        cuts++;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
