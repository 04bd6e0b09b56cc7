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
    /** Exchanges that were still going on when the drain was over: no failure of the server's. */
    final LongAdder cutOff = new LongAdder();
    final FaultLog faults = new FaultLog();
    private final AtomicLong tickets;
    private final boolean limited;
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Phase phase = Phase.WARMUP;
    private volatile long startNanos;

    /** A clock; with a limit above 0 the window holds that many exchanges. */
    CellClock(long requestLimit) {
        this.limited = requestLimit > 0;
        this.tickets = new AtomicLong(requestLimit);
    }

    /** From where the open model counts; set before any client runs. */
    long startNanos() {
        return startNanos;
    }

    void start() {
        startNanos = System.nanoTime();
    }

    Phase phase() {
        return phase;
    }

    void phase(Phase next) {
        phase = next;
        if (next == Phase.DRAIN) {
            ended.countDown();
        }
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
