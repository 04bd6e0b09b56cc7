package dev.millrace.xsendfile;

import dev.millrace.files.WarningLimit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of results that are dropped: of the first at once, then once a minute at most. Thread-safe. */
final class RateLimitedLog {
    private static final Logger LOG = LoggerFactory.getLogger(RateLimitedLog.class);

    private final WarningLimit limit;

    RateLimitedLog(LongSupplier nanoTime) {
        limit = new WarningLimit(1, nanoTime);
    }

    void onDrop(String reason, TransferResult result) {
        long unsaid = limit.next();
        if (unsaid == 0) {
            LOG.warn("Dropping the result of a transfer, {}: {}", reason, RootedFile.printable(result));
        } else if (unsaid > 0) {
            LOG.warn(
                    "Dropping the result of a transfer, and {} more since the last such line, {}: {}",
                    unsaid,
                    reason,
                    RootedFile.printable(result));
        }
    }
}
