package dev.millrace.webapp.server;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** A channel that remembers what it is given to write, and takes as much of it as it was told to. */
final class RecordingChannel implements GatheringByteChannel {
    private final List<Call> calls = new ArrayList<>();
    private final Queue<Integer> rooms = new ArrayDeque<>();
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

    /** One call, with how many bytes of the buffers it was offered. */
    public record Call(List<ByteBuffer> buffers, int bytes) {
        public boolean isDirect() {
            return buffers.stream().allMatch(ByteBuffer::isDirect);
        }
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
    public long write(ByteBuffer[] sources) {
        return write(sources, 0, sources.length);
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
