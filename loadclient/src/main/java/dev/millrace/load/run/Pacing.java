package dev.millrace.load.run;

import dev.millrace.load.run.CellClock.Phase;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Decides when one client sends its requests. Confined to its thread. */
final class Pacing {

    /** Bound on one wait, so that the client notices the end of the window. */
    private static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final double NANOS_PER_SECOND = 1e9;

    private final CellClock clock;
    private final long rampNanos;
    private final double intervalNanos;
    private final double offsetNanos;
    private long count;

    /** The pacing of one client, counted from 0; in the closed model requests are never waited for. */
    Pacing(Cell cell, int client, Duration ramp, CellClock clock) {
        this.clock = clock;
        this.rampNanos = ramp.toNanos() / cell.clients() * client;
        this.intervalNanos = cell.isOpen() ? NANOS_PER_SECOND * cell.clients() / cell.rate() : 0;
        this.offsetNanos = cell.isOpen() ? NANOS_PER_SECOND * client / cell.rate() : 0;
    }

    /** Waits until clients may begin, and for this client's place in the ramp. */
    void awaitStart() {
        while (!clock.hasBegun() && clock.phase() != Phase.DRAIN) {
            LockSupport.parkNanos(MAX_WAIT_NANOS);
        }
        awaitMoment(clock.startNanos() + rampNanos);
        if (intervalNanos > 0 && rampNanos > 0) {
            skipUntil(clock.startNanos() + rampNanos);
        }
    }

    /**
     * Waits until the next request is due. A client that is behind does not wait, so that the delay is in the latency.
     * Requests are skipped that were due before the client began, in a rest, or in the warm-up when the window has
     * begun.
     *
     * @return the moment at which the request was due; the present time in the closed model
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
                // This thread may wake up after the window has begun. What was due in it is late, and not skipped.
                long now = System.nanoTime();
                skipUntil(clock.phase() == Phase.WARMUP ? now : clock.windowStart());
            } else if (clock.phase() == Phase.WARMUP || due - clock.windowStart() >= 0) {
                return due;
            } else {
                skipUntil(clock.windowStart());
            }
        }
    }

    private void awaitRest() {
        while (clock.isResting()) {
            LockSupport.parkNanos(MAX_WAIT_NANOS);
        }
    }

    /** Skips requests that were due before a moment: they belong to a ramp, a rest or the warm-up. */
    private void skipUntil(long moment) {
        double behind = moment - clock.startNanos() - offsetNanos;
        count = Math.max(count, (long) Math.ceil(behind / intervalNanos));
    }

    /** How many requests are due from the moment of one request, which counts, to the end of the window. */
    long owedFrom(long due) {
        return 1 + (long) ((clock.windowEnd() - due - 1) / intervalNanos);
    }

    /** Waits, but not beyond the end of the window. */
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
