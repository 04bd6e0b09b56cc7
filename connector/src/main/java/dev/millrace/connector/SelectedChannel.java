package dev.millrace.connector;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.eclipse.jetty.io.ManagedSelector;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a blocking connection whose protocol has become a multiplexed one. It blocks no longer, and a selector
 * of the connector watches it from now on. The end point has Jetty's code for its interests and its tasks. Its
 * constructor is given no selector: that would also be woken by the end of each connection that blocks.
 *
 * <p>Thread-safe.
 */
final class SelectedChannel {
    private final MillraceEndPoint endPoint;
    private final ManagedSelector selector;
    private final ManagedSelector.SelectorUpdate update = this::update;
    // Belongs to the thread that selects.
    private boolean registered;
    // The selector has found the channel ready, and updates its interests before it selects again.
    private volatile boolean updating;

    private SelectedChannel(MillraceEndPoint endPoint, ManagedSelector selector) {
        this.endPoint = endPoint;
        this.selector = selector;
    }

    /**
     * Gives a channel to a selector, for good.
     *
     * @param endPoint owns the channel; nothing reads from it or writes to it in blocking mode
     * @param selector null when the connector has stopped
     * @throws IOException when the channel is closed, or is to be
     */
    static SelectedChannel register(MillraceEndPoint endPoint, @Nullable ManagedSelector selector) throws IOException {
        if (selector == null) {
            throw new ClosedChannelException();
        }
        endPoint.getChannel().configureBlocking(false);
        SelectedChannel selected = new SelectedChannel(endPoint, selector);
        selector.submit(selected::register);
        return selected;
    }

    private void register(Selector keys) {
        try {
            SelectionKey key = endPoint.getChannel().register(keys, 0, endPoint);
            endPoint.replaceKey(key);
            registered = true;
            if (!endPoint.isOpen()) {
                // The channel may linger elsewhere by now: leave() has not found the key.
                key.cancel();
            }
        } catch (ClosedChannelException x) {
            endPoint.close(x);
        }
    }

    private void update(Selector keys) {
        if (registered) {
            endPoint.updateKey();
        }
    }

    /** Called before the end point says what is to be done, by the thread that selects. */
    void onSelected() {
        updating = true;
    }

    /** Called before the end point tells the key of its interests, by the thread that selects. */
    void onUpdateKey() {
        updating = false;
    }

    /** Called after the end point's interests have changed. */
    void onInterest() {
        if (!updating) {
            selector.submit(update);
        }
        if (!endPoint.isOpen()) {
            // Closed before the interest was there: neither the close nor the selector would tell the reader.
            endPoint.getFillInterest().onClose();
        }
    }

    /** Lets the selector forget the channel; before it lingers elsewhere. */
    void leave() {
        Selector keys = selector.getSelector();
        SelectionKey key = keys == null ? null : endPoint.getChannel().keyFor(keys);
        if (key != null) {
            key.cancel();
        }
        wakeUp();
    }

    /** Has the selector notice that the channel was closed: until then the system keeps the socket. */
    void wakeUp() {
        selector.submit(keys -> {});
    }
}
