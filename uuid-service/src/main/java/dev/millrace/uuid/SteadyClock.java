package dev.millrace.uuid;

import com.fasterxml.uuid.UUIDClock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that waits instead of stepping back, so that version 7 UUIDs stay in order when the system's clock is set
 * back: the generator counts on within a millisecond that stands still (RFC 9562 section 6.2, "monotonic error
 * checking"). Thread-safe.
 */
final class SteadyClock extends UUIDClock {
    private final UUIDClock clock;
    private final AtomicLong latestMillis = new AtomicLong(Long.MIN_VALUE);

    SteadyClock(UUIDClock clock) {
        this.clock = clock;
    }

    @Override
    public long currentTimeMillis() {
        long now = clock.currentTimeMillis();
        long latest = latestMillis.get();
        // Most calls come within the millisecond of the call before: they need no write.
        return now == latest ? now : latestMillis.accumulateAndGet(now, Math::max);
    }
}
