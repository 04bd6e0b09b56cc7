package dev.millrace.limits;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a request or of a connection, decided by a look, and run by a thread that may block.
 *
 * @param what the peer was too slow with; null when it is no peer's fault
 * @param action ends it, and tells whether it had not ended by itself
 */
record PeerEnd(EndPoint endPoint, @Nullable String what, BooleanSupplier action) {
    private static final Logger LOG = LoggerFactory.getLogger(PeerEnd.class);

    /** Runs all ends of a look, and logs them in one line. */
    static void run(List<PeerEnd> ends) {
        PeerEnd first = null;
        int others = 0;
        for (PeerEnd end : ends) {
            try {
                if (!end.action.getAsBoolean() || end.what == null) {
                    continue;
                }
                if (first == null) {
                    first = end;
                } else {
                    others++;
                }
            } catch (Throwable x) {
                LOG.warn("Cannot end {} in order", end.endPoint, x);
            }
        }
        if (first != null) {
            LOG.info(
                    "{} was too slow ({}) and was ended{}",
                    first.endPoint.getRemoteSocketAddress(),
                    first.what,
                    others == 0 ? "" : ", as were " + others + " others");
        }
    }
}
