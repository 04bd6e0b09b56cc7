package dev.millrace.load.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What the clients of one cell share: the phase it is in, and the counts that its progress is read from. */
final class CellClock {

    enum Phase { WARMUP, WINDOW, DRAIN }

    final LongAdder requests = new LongAdder();
    final LongAdder warmup = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder connections = new LongAdder();
    /** Exchanges that were still going on when the drain was over, but for those that stalled. */
    final LongAdder cutOff = new LongAdder();
    /** Downloads that received nothing during the whole drain. */
    final LongAdder stalled = new LongAdder();
    /** In the open model, requests that were sent before the window's end. */
    final LongAdder sent = new LongAdder();
    /** In the open model, requests that were due in the window and never sent. */
    final LongAdder unsent = new LongAdder();
    final FaultLog faults = new FaultLog();
    private final AtomicLong tickets;
    private final boolean limited;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Phase phase = Phase.WARMUP;
    private volatile long startNanos;
    private volatile boolean begun;
    private volatile boolean resting;
    private volatile long windowStart;
    private volatile long windowEnd;
    private volatile boolean over;
    private volatile boolean drained;

    /** A clock; with a limit above 0 the window holds that many exchanges. */
    CellClock(long requestLimit) {
        this.limited = requestLimit > 0;
        this.tickets = new AtomicLong(requestLimit);
    }

    /** From where the open model counts; meaningless before clients may begin. */
    long startNanos() {
        return startNanos;
    }

    /** Lets the clients begin. */
    void start(long now) {
        startNanos = now;
        begun = true;
    }

    /** Whether clients may begin. */
    boolean hasBegun() {
        return begun;
    }

    Phase phase() {
        return phase;
    }

    /** Whether nothing is to be sent, between two bursts of the warm-up. */
    boolean isResting() {
        return resting && phase == Phase.WARMUP;
    }

    /** Begins or ends a rest; the window ends it too. */
    void rest(boolean now) {
        resting = now;
    }

    /** Ends the warm-up, unless the cell was stopped in it. */
    synchronized void openWindow(long now) {
        if (phase == Phase.WARMUP) {
            windowStart = now;
            phase = Phase.WINDOW;
        }
    }

    /** Ends the window; has no effect when it has ended. */
    synchronized void closeWindow(long now) {
        if (phase == Phase.DRAIN) {
            return;
        }
        if (phase == Phase.WARMUP) {
            windowStart = now;
        }
        windowEnd = now;
        phase = Phase.DRAIN;
        ended.countDown();
    }

    /** Nothing may be sent from now on; says whether the drain was long enough for what is left to tell something. */
    void endDrain(boolean telling) {
        drained = telling;
        over = true;
    }

    boolean isOver() {
        return over;
    }

    boolean drained() {
        return drained;
    }

    /** Meaningless during the warm-up. */
    long windowStart() {
        return windowStart;
    }

    /** Meaningless before the drain. */
    long windowEnd() {
        return windowEnd;
    }

    /** Whether the window has a moment that is now or was. */
    boolean inWindow(long moment) {
        Phase now = phase;
        return now != Phase.WARMUP && moment - windowStart >= 0 && (now == Phase.WINDOW || moment - windowEnd < 0);
    }

    /** Whether the exchanges in the window are numbered. */
    boolean limited() {
        return limited;
    }

    /** Takes the right to one of the numbered exchanges; false when all are taken. */
    boolean takeTicket() {
        return tickets.getAndDecrement() > 0;
    }

    /** Waits for the end of the window, at most so long. Returns whether it has come. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return ended.await(nanos, TimeUnit.NANOSECONDS);
    }
}
