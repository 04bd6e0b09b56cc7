package dev.millrace.connector;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.util.NanoTime;

/** Waits for what another thread is about to do, by looking again and again. An interrupt ends no wait, and stands afterwards. */
final class Waiting {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long MOST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Waiting() {}

    static void until(BooleanSupplier done) {
        until(Long.MAX_VALUE, done);
    }

    /** @return whether that came in time */
    static boolean until(long timeoutMillis, BooleanSupplier done) {
        long begin = NanoTime.now();
        long pauseNanos = FIRST_PAUSE_NANOS;
        boolean interrupted = false;
        boolean isDone = done.getAsBoolean();
        while (!isDone && NanoTime.millisSince(begin) < timeoutMillis) {
            // With an interrupt, no park waits. To yield would not do for a virtual thread: see CarrierTurn.
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(pauseNanos);
            pauseNanos = Math.min(2 * pauseNanos, MOST_PAUSE_NANOS);
            isDone = done.getAsBoolean();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return isDone;
    }
}
