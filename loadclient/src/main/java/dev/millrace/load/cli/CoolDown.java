package dev.millrace.load.cli;

import dev.millrace.load.host.Sockets;
import dev.millrace.load.run.Interruption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.TypeConversionException;

/**
 * A pause between cells: a fixed time, or until few sockets are in TIME_WAIT. Immutable.
 *
 * @param most bound on the pause
 * @param auto whether the pause ends sooner when few sockets are in TIME_WAIT
 */
record CoolDown(Duration most, boolean auto) {

    private static final Duration MOST = Duration.ofSeconds(60);
    private static final int FEW_SOCKETS = 1000;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * Reads {@code none}, {@code auto} or a time.
     *
     * @throws TypeConversionException if the text is none of these
     */
    static CoolDown of(String text) {
        return switch (text) {
            case "none" -> new CoolDown(Duration.ZERO, false);
            case "auto" -> new CoolDown(MOST, true);
            default -> new CoolDown(Units.duration(text), false);
        };
    }

    /** Pauses. The pause ends early when the user asks for the end. */
    void rest(Interruption interruption) {
        long end = System.nanoTime() + most.toNanos();
        long left = most.toNanos();
        while (left > 0
                && !interruption.requested()
                && !(auto && Sockets.inTimeWait().orElse(0) < FEW_SOCKETS)) {
            LockSupport.parkNanos(Math.min(left, STEP_NANOS));
            left = end - System.nanoTime();
        }
    }
}
