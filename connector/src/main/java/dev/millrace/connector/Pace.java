package dev.millrace.connector;

/** How fast a peer is in one direction, while somebody waits for it in that; used by the scheduler's thread only. */
final class Pace {
    private long total;
    private long millis;
    private long bytes;
    private long stalledMillis;

    private Pace(long total) {
        this.total = total;
    }

    /**
     * @param pace from the look before; null when nobody waited then
     * @param waiting whether somebody waits now
     * @param total all bytes until now
     * @return null when nobody waits: an idle connection has none
     */
    static Pace sampled(Pace pace, boolean waiting, long total, long sinceMillis, long graceMillis) {
        if (!waiting) {
            return null;
        }
        if (pace == null) {
            return new Pace(total);
        }
        pace.sample(total, sinceMillis, graceMillis);
        return pace;
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

    boolean isBelow(long bytesPerSecond, long graceMillis) {
        return millis >= graceMillis && bytes * 1000 < bytesPerSecond * millis;
    }

    boolean hasMoved() {
        return bytes > 0;
    }

    /** Whether it is below even if the peer has taken that much since progress was seen last. */
    boolean hasStalledFor(long bytesPerSecond, long unseenBytes) {
        return unseenBytes * 1000 < bytesPerSecond * stalledMillis;
    }
}
