package dev.millrace.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Lets a worker wait until a channel takes more. The channel must not block, because it is registered with the selector of its
 * connector, so the worker needs a selector of its own. Used by one worker at a time; any thread may call {@link #wakeup}.
 */
public final class WriteSelector implements Closeable {
    private final Selector selector;
    private @Nullable SelectionKey key;

    WriteSelector() throws IOException {
        selector = Selector.open();
    }

    /**
     * Waits until the channel takes more, or {@link #wakeup}. The close of the channel alone need not end the wait.
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
        return selector.select(selected -> {}, millis) > 0;
    }

    /** Ends the wait that is under way, or the next one. */
    public void wakeup() {
        selector.wakeup();
    }

    /** Forgets the channel. A channel that was closed meanwhile keeps its descriptor until this. */
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
