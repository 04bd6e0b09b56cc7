package dev.millrace.load.cli;

import dev.millrace.load.run.Interruption;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.concurrent.locks.LockSupport;

/**
 * The moment at which several machines begin their load, by the clock of each. Immutable.
 *
 * @param moment the moment
 */
record StartTime(Instant moment) {

    private static final Duration FAR = Duration.ofSeconds(3);
    private static final Duration STEP = Duration.ofMillis(100);

    /**
     * Reads a time of ISO 8601 with its zone, or the seconds since 1970 that {@code date +%s} prints.
     *
     * @throws IllegalArgumentException if it is neither, or over; the message is for people
     */
    static StartTime of(String text) {
        Instant moment;
        try {
            moment = text.matches("\\d{1,11}")
                    ? Instant.ofEpochSecond(Long.parseLong(text))
                    : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a time such as 2030-01-31T12:00:00Z or 1895832000", e);
        }
        if (moment.isBefore(Instant.now())) {
            throw new IllegalArgumentException(text + " is over");
        }
        return new StartTime(moment);
    }

    /** Whether there is time to ask the server for its clock. */
    boolean isFar() {
        return Duration.between(Instant.now(), moment).compareTo(FAR) > 0;
    }

    /**
     * Waits for the moment, or until the user asks for the end. The wall clock is read again and again, because it may be
     * set meanwhile.
     *
     * @return how late the moment was noticed
     */
    Duration await(Interruption interruption) {
        Duration late = Duration.between(moment, Instant.now());
        while (late.isNegative() && !interruption.requested()) {
            // The nanoseconds of three hundred years do not fit a long.
            Duration left = late.negated();
            LockSupport.parkNanos((left.compareTo(STEP) < 0 ? left : STEP).toNanos());
            late = Duration.between(moment, Instant.now());
        }
        return late;
    }
}
