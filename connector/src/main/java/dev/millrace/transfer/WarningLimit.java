package dev.millrace.transfer;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many warnings may be logged each minute. A peer can repeat the request that leads to one, and would fill the log.
 *
 * <p>Thread-safe. Public for {@code dev.millrace.files} and {@code dev.millrace.xsendfile} alone.
 */
public final class WarningLimit {
    private static final Logger LOG = LoggerFactory.getLogger(WarningLimit.class);
    private static final int MOST_OF_REQUESTS = 20;
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final int most;
    private final LongSupplier nanoTime;
    private long begunNanoTime;
    private int logged;
    private long leftOut;

    /** Twenty a minute, for what any request may lead to. */
    public WarningLimit() {
        this(MOST_OF_REQUESTS, NanoTime::now);
    }

    /**
     * @param most warnings in the minute that begins with the first, at least 1
     * @param nanoTime tells the time in nanoseconds, as {@link NanoTime} does
     */
    public WarningLimit(int most, LongSupplier nanoTime) {
        this.most = most;
        this.nanoTime = nanoTime;
    }

    /**
     * Asks whether to log one more warning.
     *
     * @return how many were left out since the last that was logged; -1: this one is left out too
     */
    public synchronized long next() {
        long now = nanoTime.getAsLong();
        if (logged == 0 || now - begunNanoTime >= MINUTE_NANOS) {
            begunNanoTime = now;
            logged = 0;
        }
        if (logged == most) {
            leftOut++;
            return -1;
        }
        logged++;
        long before = leftOut;
        leftOut = 0;
        return before;
    }

    /**
     * Asks whether to log one more warning of a file that is not sent. Logs itself how many were left out before that.
     *
     * @return false: this one is left out too
     */
    public boolean allows() {
        long before = next();
        if (before > 0) {
            LOG.warn("{} more warnings of files that are not sent were left out", before);
        }
        return before >= 0;
    }
}
