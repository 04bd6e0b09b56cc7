package dev.millrace.limits;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How fast a peer opens the windows of a connection of HTTP/2 that the looks find closed.
 *
 * <p>A peer is judged when it opens a window: by how wide, and by how long it had left that window closed. So a pause alone is not slow,
 * and streams that are paused owe nothing. A peer that opens a window by drops gains nothing if the drops are rare.
 *
 * <p>The connection's thread says what is opened, all else is the scheduler's.
 */
final class WindowMeter {
    /** The window of the connection is named as if it were a stream's. */
    static final int CONNECTION = 0;
    /** So much of a pause counts when it is over: as long as Jetty's idle timeout, unless that is set. A film is paused for longer. */
    private static final long MOST_PAUSE_MILLIS = 30_000;
    /** So much counts of what one look finds opened: a window may be opened wider than any other lets through. */
    private static final long MOST_BYTES = 128 * 1024;

    private final Map<Integer, Window> windows = new ConcurrentHashMap<>();
    private long pauseMillis;
    private long millis;
    private long owedMillis;
    private long bytes;
    private boolean moved;

    /** A window that is closed. The first look is the one that makes it. */
    static final class Window {
        private final AtomicLong granted = new AtomicLong();
        private long seen;
        private long pauseMillis;
        private boolean begun;

        /** @return by how much it has been opened since the look before */
        private long look(long sinceMillis, long graceMillis) {
            // A peer that has just been found at a pause owes little of it: it may be about to read at its own pace.
            long most = begun ? MOST_PAUSE_MILLIS : Math.max(sinceMillis, graceMillis);
            pauseMillis = Math.min(pauseMillis + sinceMillis, most);
            long before = seen;
            seen = granted.get();
            return seen - before;
        }

        private long endPause() {
            long ended = pauseMillis;
            pauseMillis = 0;
            begun = true;
            return ended;
        }
    }

    /** Notes by how much the peer opens a window, which does not count unless the look before found it closed. */
    void grant(int streamId, int moreBytes) {
        Window window = windows.get(streamId);
        if (window != null) {
            window.granted.addAndGet(moreBytes);
        }
    }

    /** Notes that the peer may open all windows by so much. */
    void grantAll(int moreBytes) {
        windows.values().forEach(window -> window.granted.addAndGet(moreBytes));
    }

    /** @param closed the streams whose windows are */
    void look(Set<Integer> closed, long sinceMillis, long graceMillis) {
        long passed = lookAtConnection(closed, sinceMillis, graceMillis);
        windows.keySet().retainAll(closed);
        if (closed.isEmpty()) {
            forget();
        }
        pauseMillis += sinceMillis;
        long opened = 0;
        long ofStreams = 0;
        long longest = 0;
        for (int streamId : closed) {
            Window window = windows.get(streamId);
            if (window == null) {
                windows.put(streamId, new Window());
                continue;
            }
            long more = window.look(sinceMillis, graceMillis);
            if (more > 0) {
                long waited = window.endPause();
                opened += Math.min(more, MOST_BYTES);
                ofStreams += streamId == CONNECTION ? 0 : waited;
                longest = Math.max(longest, waited);
            }
        }
        moved = opened > 0;
        if (moved) {
            // The window of the connection owes nothing beside those of streams: what passes both passes but once.
            add(opened + passed, Math.max(longest, ofStreams), Math.min(longest, pauseMillis), graceMillis);
            pauseMillis = 0;
        }
    }

    // While the connection's window was closed, each opening of a stream's counted as a byte, however wide it was
    // (Http2RateMonitor).
    private long lookAtConnection(Set<Integer> closed, long sinceMillis, long graceMillis) {
        Window reopened = closed.contains(CONNECTION) ? null : windows.get(CONNECTION);
        return reopened == null ? 0 : Math.min(reopened.look(sinceMillis, graceMillis), MOST_BYTES);
    }

    private void forget() {
        millis = 0;
        owedMillis = 0;
        bytes = 0;
    }

    private void add(long opened, long owed, long sinceMillis, long graceMillis) {
        while (millis > 2 * graceMillis) {
            // What the peer did long ago does not excuse what it does now.
            millis /= 2;
            owedMillis /= 2;
            bytes /= 2;
        }
        millis += sinceMillis;
        owedMillis += owed;
        bytes += opened;
    }

    /** Whether the peer has opened some since the look before, and is slower than this with each of them. */
    boolean isBelow(long bytesPerSecond, long graceMillis) {
        return moved && millis >= graceMillis && bytes * 1000 < bytesPerSecond * owedMillis;
    }
}
