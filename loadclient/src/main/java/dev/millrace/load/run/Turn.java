package dev.millrace.load.run;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The turn of a client whose cell is measured together with others. One client of each cell stands in a ring. One of
 * them sends at a time, a few requests. So each server gets as many requests as the others, within the same
 * milliseconds. A client that is in no ring always has its turn. Safe for use by any thread.
 */
final class Turn {

    /** A turn of one request would be a switch of threads for each; long ones would be moments of their own. */
    private static final int REQUESTS = 8;

    private static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private Turn next = this;
    private volatile boolean come = true;
    private volatile @Nullable Thread waiting;
    /** Used by the client's thread alone. */
    private int requests;

    /** Joins turns before their clients start; the first one's comes first. */
    static void join(List<Turn> ring) {
        for (int i = 0; i < ring.size(); i++) {
            ring.get(i).next = ring.get((i + 1) % ring.size());
            ring.get(i).come = i == 0;
        }
    }

    /** Waits for the turn, but only for a moment. Returns whether it has come. Called by the client. */
    boolean await() {
        if (!come) {
            waiting = Thread.currentThread();
            if (!come) {
                LockSupport.parkNanos(this, MAX_WAIT_NANOS);
            }
        }
        return come;
    }

    /** Counts a request. The last request of a turn passes the turn on. Called by the client. */
    void sent() {
        requests++;
        if (requests % REQUESTS == 0 && next != this) {
            come = false;
            next.come = true;
            LockSupport.unpark(next.waiting);
        }
    }
}
