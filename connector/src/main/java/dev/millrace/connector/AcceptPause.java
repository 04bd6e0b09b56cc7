package dev.millrace.connector;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets selectors that accept do so no more, for a second, when the system has no descriptor left. Jetty's would find the
 * same connection ready at once, and again, with a core busy and a line in the log each time. Thread-safe.
 */
final class AcceptPause {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptPause.class);
    /** As an acceptor's own pause in Jetty. */
    private static final long PAUSE_MILLIS = 1000;

    private final NioConnector connector;
    private boolean wanted = true;
    private boolean pausing;

    AcceptPause(NioConnector connector) {
        this.connector = connector;
    }

    /** What the connector's user, or a limit, says. */
    synchronized void want(boolean accepting) {
        wanted = accepting;
        connector.applyAccepting(accepting && !pausing);
    }

    synchronized void begin(IOException cause) {
        LOG.warn("Accept failure, next try in {} ms: {}", PAUSE_MILLIS, cause.toString());
        pausing = true;
        connector.applyAccepting(false);
        connector.getScheduler().schedule(this::end, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Early, when the connector stops: the next start finds it as its user left it. */
    synchronized void end() {
        if (pausing && connector.isOpen()) {
            connector.applyAccepting(wanted);
        }
        pausing = false;
    }
}
