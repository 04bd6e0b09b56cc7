package dev.millrace.connector;

import java.nio.channels.SelectableChannel;
import java.util.EventListener;
import org.eclipse.jetty.io.SelectorManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners of a connector that a channel was accepted in vain: {@code NetworkConnectionLimit} counts by it. Jetty's own
 * {@code SelectorManager.onAcceptFailed(channel, cause)} does the same, but 12.1.14 has deprecated it for removal, and older
 * versions have no other.
 */
final class AcceptFailures {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptFailures.class);

    private AcceptFailures() {}

    static void tell(SelectorManager listened, SelectableChannel channel, Throwable cause) {
        for (EventListener listener : listened.getEventListeners()) {
            if (listener instanceof SelectorManager.AcceptListener accepts) {
                try {
                    accepts.onAcceptFailed(channel, cause);
                } catch (Throwable x) {
                    LOG.warn("{} failed when told that {} was accepted in vain", accepts, channel, x);
                }
            }
        }
    }
}
