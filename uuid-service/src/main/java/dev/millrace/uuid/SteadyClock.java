package dev.millrace.uuid;

import com.fasterxml.uuid.UUIDClock;

/**
 * A clock that waits instead of stepping back, so that version 7 UUIDs stay in order when the system's clock is set
 * back: the generator counts on within a millisecond that stands still (RFC 9562 section 6.2, "monotonic error
 * checking"). Not thread-safe: whoever makes UUIDs by it holds a lock meanwhile.
 */
final class SteadyClock extends UUIDClock {
    private final UUIDClock clock;
    private long latestMillis = Long.MIN_VALUE;

    SteadyClock(UUIDClock clock) {
        this.clock = clock;
    }

    @Override
    public long currentTimeMillis() {
        latestMillis = Math.max(latestMillis, clock.currentTimeMillis());
        return latestMillis;
    }
}
