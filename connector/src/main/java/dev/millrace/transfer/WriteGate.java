package dev.millrace.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * Lets a worker wait until a channel that does not block takes more. Owns a selector of its own; one worker at a time, but
 * {@link #wakeup} may be called by any thread.
 */
public final class WriteGate implements Closeable {
    private final Selector selector;
    private SelectionKey key;

    WriteGate() throws IOException {
        selector = Selector.open();
    }

    /**
     * Waits until the channel takes more, or {@link #wakeup}.
     *
     * @param channel the same one until {@link #leave}
     * @param millis the longest wait; 0: without limit
     * @return whether the channel takes more
     * @throws IOException when the channel is closed already
     */
    public boolean await(SocketChannel channel, int millis) throws IOException {
        if (key == null) {
            key = channel.register(selector, SelectionKey.OP_WRITE);
        }
        return selector.select(selected -> {
            // The number of the selected says it all.
        }, millis) > 0;
    }

    /** Ends the wait that is under way, or the next one. */
    public void wakeup() {
        selector.wakeup();
    }

    /** Forgets the channel. One that was closed meanwhile keeps its descriptor until this. */
    void leave() throws IOException {
        if (key != null) {
            key.cancel();
            key = null;
            selector.selectNow();
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
