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
 * One input on one connection to one server, piece by piece, until the server has ended the connection. Driven by one thread, which
 * calls {@link #advance} until it returns an outcome.
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
     * @param read what is read passes through it
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
        // The system completes it without the server's help.
        channel.connect(tested.address());
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, this);
        port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
    }

    /**
     * Sends and reads what can be without waiting.
     *
     * @param isReadable whether there is something to read
     * @param clockNanos by which the conversation counts as stuck
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

    // Behind the server's end all that is left is sent at once, for servers must bear that, too.
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
                // The server has closed. What it said before can be read still.
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
            // Inputs are small, and the system takes them whole unless the server is stuck.
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
