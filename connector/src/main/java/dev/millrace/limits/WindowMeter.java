package dev.millrace.limits;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How fast a peer opens what it has closed of the windows of HTTP/2.
 *
 * <p>It is judged where it opens something: by that, and by the time that it has let pass before. So a pause alone is not slow, and drops
 * are not cheaper for being rare.
 *
 * <p>The connection's thread says what is opened, all else is the scheduler's.
 */
final class WindowMeter {
    /** So much of a pause counts when it is over: as long as Jetty's idle timeout, unless that is set. A film is paused for longer. */
    private static final long MOST_PAUSE_MILLIS = 30_000;
    /** So much counts of what one look finds opened: a window may be opened wider than any other lets through. */
    private static final long MOST_BYTES = 128 * 1024;

    private final AtomicLong granted = new AtomicLong();
    private long seen;
    private long pauseMillis;
    private long millis;
    private long bytes;
    private boolean begun;
    private boolean moved;

    void grant(int moreBytes) {
        granted.addAndGet(moreBytes);
    }

    /** Looks again. The first look is the one that makes it. */
    void look(long sinceMillis, long graceMillis) {
        // A peer that has just been found at a pause owes little of it: it may be about to read at its own pace.
        long most = begun ? MOST_PAUSE_MILLIS : Math.max(sinceMillis, graceMillis);
        pauseMillis = Math.min(pauseMillis + sinceMillis, most);
        long grantedNow = granted.get();
        moved = grantedNow != seen;
        if (!moved) {
            return;
        }
        while (millis > 2 * graceMillis) {
            // What the peer did long ago does not excuse what it does now.
            millis /= 2;
            bytes /= 2;
        }
        millis += pauseMillis;
        bytes += Math.min(grantedNow - seen, MOST_BYTES);
        pauseMillis = 0;
        seen = grantedNow;
        begun = true;
    }

    /** Whether the peer has opened something since the look before, and has been slower than this for as long as the grace. */
    boolean isBelow(long bytesPerSecond, long graceMillis) {
        return moved && millis >= graceMillis && bytes * 1000 < bytesPerSecond * millis;
    }
}
