package dev.millrace.load;

import dev.millrace.load.host.TimeWait;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.TypeConversionException;

/**
 * A rest between cells: a fixed time, or until few sockets rest in TIME_WAIT. Immutable.
 *
 * @param most bound on it
 * @param auto whether it ends sooner when few sockets rest
 */
record CoolDown(Duration most, boolean auto) {

    private static final Duration MOST = Duration.ofSeconds(60);
    private static final int FEW_SOCKETS = 1000;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * Reads {@code none}, {@code auto} or a time.
     *
     * @throws TypeConversionException if it is none of these
     */
    static CoolDown of(String text) {
        return switch (text) {
            case "none" -> new CoolDown(Duration.ZERO, false);
            case "auto" -> new CoolDown(MOST, true);
            default -> new CoolDown(Units.duration(text), false);
        };
    }

    /** Rests; ends early when the user wants to end. */
    void rest(Interruption interruption) {
        long end = System.nanoTime() + most.toNanos();
        long left = most.toNanos();
        while (left > 0 && !interruption.requested() && !(auto && TimeWait.sockets().orElse(0) < FEW_SOCKETS)) {
            LockSupport.parkNanos(Math.min(left, STEP_NANOS));
            left = end - System.nanoTime();
        }
    }
}
