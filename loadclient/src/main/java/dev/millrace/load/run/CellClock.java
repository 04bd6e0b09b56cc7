package dev.millrace.load.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The state that the clients of one cell share: its phase and its counts. Moments are those of {@link System#nanoTime}.
 * Safe for use by any thread.
 */
final class CellClock {

    private static final double NANOS_PER_SECOND = 1e9;

    enum Phase {
        WARMUP,
        WINDOW,
        DRAIN
    }

    final LongAdder requests = new LongAdder();
    final LongAdder warmup = new LongAdder();
    final LongAdder bytes = new LongAdder();
    /** Body bytes while warming up, also of answers that turned out to be wrong. */
    final LongAdder warmupBytes = new LongAdder();

    final LongAdder connections = new LongAdder();
    /** Exchanges that still made progress when the drain ended. */
    final LongAdder cutOff = new LongAdder();
    /** Downloads that received no byte during the whole drain. */
    final LongAdder stalled = new LongAdder();
    /** In the open model, requests that were due in the window and sent before its end. */
    final LongAdder sent = new LongAdder();
    /** In the open model, requests that were due in the window and were never sent. */
    final LongAdder unsent = new LongAdder();

    /** The lowest number of streams that a server allowed, if it is below what was asked for. */
    final AtomicLong streamLimit = new AtomicLong(Long.MAX_VALUE);

    final FailureLog faults = new FailureLog();
    private final List<Turn> turns = new ArrayList<>();
    private final AtomicLong tickets;
    private final boolean limited;
    private final long mostNanos;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Phase phase = Phase.WARMUP;
    private volatile long startNanos;
    private volatile boolean begun;
    private volatile boolean resting;
    private volatile long windowStart;
    private volatile long windowEnd;
    private volatile boolean over;
    private volatile boolean drained;

    /** The clock of a cell of the closed model; a limit above 0 is the number of exchanges in the window. */
    CellClock(long requestLimit) {
        this(requestLimit, Long.MAX_VALUE);
    }

    private CellClock(long requestLimit, long mostNanos) {
        this.limited = requestLimit > 0;
        this.tickets = new AtomicLong(requestLimit);
        this.mostNanos = mostNanos;
    }

    /**
     * The clock of a cell of the open model. There a limit above 0 is the length of the window in which so many requests
     * are due. A window that lasted until they were answered would show a rate that nobody asked for.
     */
    static CellClock ofRate(double rate, long requestLimit) {
        return new CellClock(0, requestLimit > 0 ? Math.round(NANOS_PER_SECOND * requestLimit / rate) : Long.MAX_VALUE);
    }

    /** The length that no window exceeds. */
    long mostNanos() {
        return mostNanos;
    }

    /** The turn of a new client. Called before the threads of the clients start. */
    Turn newTurn() {
        Turn turn = new Turn();
        turns.add(turn);
        return turn;
    }

    /** The turns of all clients, in their order. */
    List<Turn> turns() {
        return turns;
    }

    /** The moment at which the open model's clock starts; not set before {@link #start}. */
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

    /** Whether clients must not send, between two bursts of the warm-up. */
    boolean isResting() {
        return resting && phase == Phase.WARMUP;
    }

    /** Begins or ends a rest. The window ends it too. */
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

    /** Ends the window, or the warm-up of a cell that was stopped before. It has no effect if the window has ended. */
    synchronized void closeWindow(long now) {
        if (phase == Phase.DRAIN) {
            return;
        }
        if (phase == Phase.WARMUP) {
            windowStart = now;
        }
        windowEnd = isBeyond(now) ? windowStart + mostNanos : now;
        phase = Phase.DRAIN;
        ended.countDown();
    }

    /**
     * Ends the drain: no request may be sent any more.
     *
     * @param conclusive whether the drain was long enough to blame the server for unfinished exchanges
     */
    void endDrain(boolean conclusive) {
        drained = conclusive;
        over = true;
    }

    boolean isOver() {
        return over;
    }

    boolean drained() {
        return drained;
    }

    /** The moment at which the window began; not set during the warm-up. */
    long windowStart() {
        return windowStart;
    }

    /** The moment at which the window ended; not set before the drain. */
    long windowEnd() {
        return windowEnd;
    }

    /** Whether a moment that is not in the future lies in the window. */
    boolean inWindow(long moment) {
        Phase now = phase;
        return now != Phase.WARMUP
                && moment - windowStart >= 0
                && (now == Phase.WINDOW ? !isBeyond(moment) : moment - windowEnd < 0);
    }

    /** Whether a moment lies behind the longest window. */
    boolean isBeyond(long moment) {
        return phase != Phase.WARMUP && moment - windowStart >= mostNanos;
    }

    /**
     * Whether an exchange of the closed model that ends now counts: only if it ends in the window. A limited window may
     * end by its length too, before all of its exchanges are done.
     *
     * @param ticket whether it has the right to be one of a limited window
     */
    boolean counts(boolean ticket) {
        return phase == Phase.WINDOW && (ticket || !limited);
    }

    /**
     * Whether an exchange that ends now ends behind the window in which it began. Its latency is recorded all the same,
     * for the longest would be missing otherwise.
     */
    boolean isBelated(boolean startedInWindow) {
        return startedInWindow && phase == Phase.DRAIN;
    }

    /** Whether the window ends after a number of exchanges. */
    boolean limited() {
        return limited;
    }

    /** Takes the right to one exchange of a limited window. Returns false when all rights are taken. */
    boolean takeTicket() {
        return tickets.getAndDecrement() > 0;
    }

    /** Whether the window is limited, and clients have taken the right to all of its exchanges. */
    boolean ticketsGone() {
        return limited && tickets.get() <= 0;
    }

    /** Waits for the end of the window, at most that long. Returns whether it has ended. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return ended.await(nanos, TimeUnit.NANOSECONDS);
    }
}
