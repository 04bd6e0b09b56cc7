package dev.millrace.connector;

import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * The channels that were accepted, but have no open connection yet. A stopping selector forgets a channel that it has not taken
 * on: the channel would stay open, with a peer that waits. Each channel ends in one of three ways: taken on, failed, or lost.
 * Thread-safe.
 */
final class PendingAccepts {
    /** Whether a selector has taken a channel on, or listeners are about to hear that it failed. */
    private final Map<SelectableChannel, Boolean> takenOn = new ConcurrentHashMap<>();

    void begin(SelectableChannel channel) {
        takenOn.put(channel, false);
    }

    /** @return false when it was lost before */
    boolean takeOn(SelectableChannel channel) {
        return takenOn.replace(channel, false, true);
    }

    /** The channel has an open connection; or listeners have heard that it failed. */
    void end(Object channel) {
        takenOn.remove(channel);
    }

    boolean isEmpty() {
        return takenOn.isEmpty();
    }

    /**
     * Called before listeners hear that the channel has failed; {@link #end} follows.
     *
     * @return false when it was lost before
     */
    boolean fail(SelectableChannel channel) {
        return takenOn.replace(channel, true) != null;
    }

    /** @param lost called with each channel that no selector has taken on, and a cause */
    void lose(BiConsumer<SelectableChannel, Throwable> lost) {
        takenOn.forEach((channel, taken) -> {
            if (takenOn.remove(channel, false)) {
                lost.accept(channel, new ClosedChannelException());
            }
        });
    }
}
