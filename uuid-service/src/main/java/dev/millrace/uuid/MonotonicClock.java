package dev.millrace.uuid;

import com.fasterxml.uuid.UUIDClock;

/**
 * A clock that never steps back, so that version 7 UUIDs stay in order when the system's clock is set back. Meanwhile
 * the generator counts within the same millisecond (RFC 9562 section 6.2, "monotonic error checking"). Not thread-safe:
 * the caller holds the generator's lock.
 */
final class MonotonicClock extends UUIDClock {
    private final UUIDClock clock;
    private long latestMillis = Long.MIN_VALUE;

    MonotonicClock(UUIDClock clock) {
        this.clock = clock;
    }

    @Override
    public long currentTimeMillis() {
        latestMillis = Math.max(latestMillis, clock.currentTimeMillis());
        return latestMillis;
    }
}
