package dev.millrace.connector;

import java.nio.channels.SelectableChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The channels between their acceptance and their selector. A selector that stops forgets what it has not yet taken on: it
 * would stay open, with a peer that waits. Each channel ends in one of three ways, and only one: taken on, failed, or lost.
 * Thread-safe.
 */
final class Arrivals {
    private final Map<SelectableChannel, Boolean> takenOn = new ConcurrentHashMap<>();

    void begin(SelectableChannel channel) {
        takenOn.put(channel, false);
    }

    /** @return false when it was lost before */
    boolean takeOn(SelectableChannel channel) {
        return takenOn.replace(channel, false, true);
    }

    /** The channel has an open connection. */
    void end(SelectableChannel channel) {
        takenOn.remove(channel);
    }

    /** @return false when it was lost before */
    boolean fail(SelectableChannel channel) {
        return takenOn.remove(channel) != null;
    }

    /** Ends every channel that no selector has taken on. */
    void lose(Consumer<SelectableChannel> closer) {
        takenOn.forEach((channel, taken) -> {
            if (takenOn.remove(channel, false)) {
                closer.accept(channel);
            }
        });
    }
}
