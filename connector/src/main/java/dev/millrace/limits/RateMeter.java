package dev.millrace.limits;

import org.jspecify.annotations.Nullable;

/** How fast a peer is in one direction while a thread or the application waits for it. Used by the scheduler's thread only. */
final class RateMeter {
    private long total;
    private long millis;
    private long bytes;
    private long stalledMillis;
    private boolean begun;
    private boolean told;

    private RateMeter(long total) {
        this.total = total;
    }

    /**
     * @param meter of the look before; null when the peer was not waited for then
     * @param total all bytes until now
     * @return null when the peer is not waited for: an idle connection has none
     */
    static @Nullable RateMeter sampled(
            @Nullable RateMeter meter, boolean waiting, long total, long sinceMillis, long graceMillis) {
        if (!waiting) {
            return null;
        }
        if (meter == null) {
            return new RateMeter(total);
        }
        meter.sample(total, sinceMillis, graceMillis);
        return meter;
    }

    private void sample(long totalNow, long sinceMillis, long graceMillis) {
        millis += sinceMillis;
        bytes += totalNow - total;
        stalledMillis = totalNow == total ? stalledMillis + sinceMillis : 0;
        total = totalNow;
        if (millis > 2 * graceMillis) {
            // What the peer did long ago does not excuse what it does now.
            millis /= 2;
            bytes /= 2;
        }
    }

    /** Whether something has moved, and it is measured from then on. */
    boolean hasBegun() {
        return begun;
    }

    /** Begins to measure: time from now on, and what has just moved. */
    void begin() {
        begun = true;
        millis = 0;
    }

    /** Whether the application has been told that the peer is too slow. */
    boolean isTold() {
        return told;
    }

    /** Notes that the application is told, and begins anew: for a while the peer may be slow again. */
    void tell() {
        told = true;
        begin();
        bytes = 0;
    }

    /** Whether the peer has been waited for as long as the grace, and is slower than this. */
    boolean isBelow(long bytesPerSecond, long graceMillis) {
        return millis >= graceMillis && bytes * 1000 < bytesPerSecond * millis;
    }

    boolean hasMoved() {
        return bytes > 0;
    }

    /** Whether the peer is slower than this even if it has taken the unseen bytes since progress was seen last. */
    boolean hasStalledFor(long bytesPerSecond, long unseenBytes) {
        return unseenBytes * 1000 < bytesPerSecond * stalledMillis;
    }
}
