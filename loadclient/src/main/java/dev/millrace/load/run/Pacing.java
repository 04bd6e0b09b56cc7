package dev.millrace.load.run;

import dev.millrace.load.run.CellClock.Phase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** When one client sends its requests. Confined to its thread. */
final class Pacing {

    /** Bound on one wait, so that the end of the window is seen. */
    private static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final double NANOS_PER_SECOND = 1e9;

    private final CellClock clock;
    private final long rampNanos;
    private final double intervalNanos;
    private final double offsetNanos;
    private long count;

    /** Pacing of one client of several; in the closed model there is nothing to wait for. */
    Pacing(Cell cell, int client, Duration ramp, CellClock clock) {
        this.clock = clock;
        this.rampNanos = ramp.toNanos() / cell.clients() * client;
        this.intervalNanos = cell.isOpen() ? NANOS_PER_SECOND * cell.clients() / cell.rate() : 0;
        this.offsetNanos = cell.isOpen() ? NANOS_PER_SECOND * client / cell.rate() : 0;
    }

    /** Waits until clients may begin, and for this client's turn. */
    void awaitStart() {
        while (!clock.hasBegun() && clock.phase() != Phase.DRAIN) {
            LockSupport.parkNanos(MAX_WAIT_NANOS);
        }
        awaitMoment(clock.startNanos() + rampNanos);
        if (intervalNanos > 0 && rampNanos > 0) {
            passOver(clock.startNanos() + rampNanos);
        }
    }

    /**
     * Waits until the next request is due.
     *
     * @return the moment at which it was due, on one line from the start of the cell; a client that is behind sends at
     *         once, and the time for which the request had to wait is part of its latency. What was due before the
     *         client's turn is passed over, what the warm-up left behind when the window has begun, and what was due
     *         in a rest when it is over. The present time in the closed model.
     */
    long awaitNext() {
        if (intervalNanos == 0) {
            awaitRest();
            return System.nanoTime();
        }
        while (true) {
            long due = clock.startNanos() + Math.round(offsetNanos + intervalNanos * count++);
            awaitMoment(due);
            if (clock.isResting()) {
                awaitRest();
                passOver(System.nanoTime());
            } else if (clock.phase() == Phase.WARMUP || due - clock.windowStart() >= 0) {
                return due;
            } else {
                passOver(clock.windowStart());
            }
        }
    }

    private void awaitRest() {
        while (clock.isResting()) {
            LockSupport.parkNanos(MAX_WAIT_NANOS);
        }
    }

    private void passOver(long moment) {
        double behind = moment - clock.startNanos() - offsetNanos;
        count = Math.max(count, (long) Math.ceil(behind / intervalNanos));
    }

    /** How many requests are due from one moment, that of a request, to the end of the window. */
    long owedFrom(long due) {
        return 1 + (long) ((clock.windowEnd() - due - 1) / intervalNanos);
    }

    /** Waits so long, but not beyond the end of the window. */
    void pause(long nanos) {
        awaitMoment(System.nanoTime() + nanos);
    }

    private void awaitMoment(long moment) {
        long left = moment - System.nanoTime();
        while (left > 0 && clock.phase() != Phase.DRAIN) {
            LockSupport.parkNanos(Math.min(left, MAX_WAIT_NANOS));
            left = moment - System.nanoTime();
        }
    }
}
