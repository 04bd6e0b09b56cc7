package dev.millrace.transfer;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;

/**
 * A turn is a buffer's length, and its worker waits until the socket has taken all of it. A client that takes nothing holds
 * a worker until its idle timeout.
 */
final class EqualBlocking extends TransferAlgorithm implements Course {
    /** The buffer of 2009. */
    static final int LEAST_BYTES = 80 * 1024;
    static final EqualBlocking AS_THE_SOCKET_HAS_ROOM = new EqualBlocking(LEAST_BYTES, true);

    private final int bufferBytes;
    private final boolean grows;

    EqualBlocking(int bufferBytes) {
        this(bufferBytes, false);
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("EqualBlocking needs a buffer of at least 1 byte");
        }
    }

    private EqualBlocking(int bufferBytes, boolean grows) {
        this.bufferBytes = bufferBytes;
        this.grows = grows;
    }

    @Override
    Course newCourse() {
        return this;
    }

    @Override
    int blockingTurnBytes(SocketChannel socket) throws IOException {
        return turnBytes(socket);
    }

    @Override
    public int firstBytes() {
        return bufferBytes;
    }

    // Linux lets a socket's buffer grow as its client is fast, counts twice the bytes that the option tells of, its own besides the
    // contents, and wakes who waits when a third is free: a quarter is then sent without another wait.
    @Override
    public int turnBytes(SocketChannel socket) throws IOException {
        if (!grows) {
            return bufferBytes;
        }
        int room = socket.getOption(StandardSocketOptions.SO_SNDBUF) / 2;
        return Math.max(bufferBytes, Math.min(room, TURN_BYTES));
    }

    @Override
    public int waitMillis(int sent, long nanoTime, boolean crowded) {
        return UNLIMITED;
    }

    @Override
    public String toString() {
        return grows ? "EqualBlocking" : "EqualBlocking(" + bufferBytes + ")";
    }
}
