package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.WriteFlusher;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** A write of which a part has left is given up just when its thread comes, which is not let in: the connection must not go on. */
class RefusedRestTest implements WriteDuty.Owner {
    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final AtomicInteger failed = new AtomicInteger();
    private final WriteDuty duty = new WriteDuty(
            this,
            new BioResources(
                    new ConnectionThreads("test", threads::add, false),
                    new ConnectorStatistics(() -> 0),
                    null,
                    ByteBufferPool.NON_POOLING,
                    16,
                    () -> 0));
    private final WriteFlusher flusher = new WriteFlusher(null) {
        @Override
        protected void onIncompleteFlush() {
            duty.completeElsewhere();
        }

        @Override
        protected ByteBuffer[] flush(SocketAddress address, ByteBuffer[] buffers) throws IOException {
            boolean inBackground = duty.takeBackgroundWrite(null);
            duty.begin();
            try {
                buffers[0].position(buffers[0].position() + 1);
                return inBackground ? null : buffers;
            } finally {
                duty.end();
            }
        }
    };
    private boolean givingUp;
    private boolean closed;

    @Override
    public WriteFlusher getWriteFlusher() {
        // Just then, from the look of whoever gives up on.
        while (givingUp && !threads.isEmpty()) {
            threads.remove().run();
        }
        return flusher;
    }

    @Override
    public boolean isOutputShutdown() {
        return closed;
    }

    @Override
    public boolean isBlocking() {
        return true;
    }

    @Override
    public void close(Throwable cause) {
        closed = true;
        flusher.onFail(cause);
    }

    @Test
    void closesTheConnection() {
        flusher.write(Callback.from(() -> {}, x -> failed.incrementAndGet()), ByteBuffer.allocate(2));
        assertTrue(duty.awaitsThread());
        givingUp = true;
        assertNull(duty.cancel(new IOException("given up by the test")));
        assertEquals(1, failed.get());
        assertTrue(closed, "goes on after half a write");
    }

    @Test
    void leavesAConnectionOpenThatWritesNothing() {
        flusher.write(Callback.NOOP, ByteBuffer.allocate(2));
        threads.remove().run();
        assertNull(duty.cancel(new IOException("given up by the test")));
        assertFalse(closed);
    }
}
