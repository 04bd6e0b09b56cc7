package dev.millrace.connector;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.server.ServerConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops the accepting of selectors for a second, when the system has no descriptor left. Jetty's selector would find the same
 * connection ready at once, and again, with a core busy and a line in the log each time. Thread-safe.
 */
final class AcceptPause {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptPause.class);
    /** As long as the pause of an acceptor in Jetty. */
    private static final long PAUSE_MILLIS = 1000;

    private final ServerConnector connector;
    private final Consumer<Boolean> setAccepting;
    private boolean wanted = true;
    private boolean pausing;

    AcceptPause(ServerConnector connector, Consumer<Boolean> setAccepting) {
        this.connector = connector;
        this.setAccepting = setAccepting;
    }

    /** Notes what the connector's user, or a limit, wants; it applies at the end of a pause. */
    synchronized void want(boolean accepting) {
        wanted = accepting;
        setAccepting.accept(accepting && !pausing);
    }

    synchronized void begin(IOException cause) {
        LOG.warn("Accept failure, next try in {} ms: {}", PAUSE_MILLIS, cause.toString());
        // The end is planned first: without memory for it, the pause would never end.
        connector.getScheduler().schedule(this::end, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        pausing = true;
        setAccepting.accept(false);
    }

    /** Called behind each start, too: a pause that a stop has cut short ends then, and the connector is as its user left it. */
    synchronized void end() {
        // Accepting that begins in a stop fails again at once, if descriptors are missing still.
        if (pausing && connector.isRunning() && connector.isOpen()) {
            pausing = false;
            setAccepting.accept(wanted);
        }
    }

    /**
     * Has a selector forget the server's cancelled key. Jetty's acceptor would register the channel beside that key soon after
     * a pause; it would then fail, and close the channel.
     *
     * @param server the channel that accepts
     * @param keys the selector, on its own thread
     */
    static void forgetCancelledKey(SelectableChannel server, Selector keys) {
        SelectionKey key = server.keyFor(keys);
        if (key != null && !key.isValid()) {
            try {
                keys.selectNow();
            } catch (IOException x) {
                LOG.debug("Cannot forget {}", key, x);
            }
        }
    }
}
