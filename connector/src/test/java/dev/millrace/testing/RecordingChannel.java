package dev.millrace.testing;

import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;

/** A channel that remembers what it is given to write, and takes as much of it as it was told to. It can do nothing else. */
public class RecordingChannel extends SocketChannel {
    private final List<Call> calls = new ArrayList<>();
    private final Queue<Integer> rooms = new ArrayDeque<>();
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

    /** One call, with how many bytes of the buffers it was offered. */
    public record Call(List<ByteBuffer> buffers, int bytes) {
        public boolean isDirect() {
            return buffers.stream().allMatch(ByteBuffer::isDirect);
        }
    }

    public RecordingChannel() {
        super(SelectorProvider.provider());
    }

    /** Takes no more than this by the next call for which nothing else was said; by those after all of them, everything. */
    public RecordingChannel takes(int bytes) {
        rooms.add(bytes);
        return this;
    }

    public List<Call> calls() {
        return calls;
    }

    /** The call that was made last. */
    public Call last() {
        return calls.get(calls.size() - 1);
    }

    /** All bytes taken so far. */
    public byte[] taken() {
        return taken.toByteArray();
    }

    @Override
    public int write(ByteBuffer source) {
        return (int) write(new ByteBuffer[] {source}, 0, 1);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        List<ByteBuffer> buffers = List.of(sources).subList(offset, offset + length);
        int offered = buffers.stream().mapToInt(ByteBuffer::remaining).sum();
        calls.add(new Call(buffers, offered));
        int room = rooms.isEmpty() ? offered : Math.min(offered, rooms.remove());
        int left = room;
        for (ByteBuffer buffer : buffers) {
            byte[] bytes = new byte[Math.min(left, buffer.remaining())];
            buffer.get(bytes);
            taken.writeBytes(bytes);
            left -= bytes.length;
        }
        return room;
    }

    @Override
    public int read(ByteBuffer target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketChannel bind(SocketAddress local) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public SocketChannel shutdownInput() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketChannel shutdownOutput() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket socket() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isConnectionPending() {
        return false;
    }

    @Override
    public boolean connect(SocketAddress remote) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean finishConnect() {
        return true;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        return null;
    }

    @Override
    public SocketAddress getLocalAddress() {
        return null;
    }

    @Override
    protected void implCloseSelectableChannel() {
        // Nothing is open.
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // It never waits.
    }
}
