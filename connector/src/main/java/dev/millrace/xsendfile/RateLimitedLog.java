package dev.millrace.xsendfile;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of results that are dropped: of the first at once, then once a minute at most. Thread-safe. */
final class RateLimitedLog {
    private static final Logger LOG = LoggerFactory.getLogger(RateLimitedLog.class);
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private boolean hasWarned;
    private long warnedNanoTime;
    private long unsaid;

    RateLimitedLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    synchronized void onDrop(String reason, TransferResult result) {
        long now = nanoTime.getAsLong();
        if (hasWarned && now - warnedNanoTime < PAUSE_NANOS) {
            unsaid++;
            return;
        }
        if (unsaid == 0) {
            LOG.warn("Dropping the result of a transfer, {}: {}", reason, RootedFile.printable(result));
        } else {
            LOG.warn(
                    "Dropping the result of a transfer, and {} more since the last such line, {}: {}",
                    unsaid,
                    reason,
                    RootedFile.printable(result));
        }
        hasWarned = true;
        warnedNanoTime = now;
        unsaid = 0;
    }
}
