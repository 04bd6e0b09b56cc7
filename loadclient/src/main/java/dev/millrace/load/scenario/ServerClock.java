package dev.millrace.load.scenario;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import java.io.IOException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How far a server's clock is ahead of this machine's, by the field {@code Date} of its answers (RFC 9110 section 6.6.1).
 * Date is cut to seconds, so that one answer tells the distance to about a second. Answers on both sides of a full
 * second tell it to the pause between them. Immutable.
 *
 * @param lowMillis  lower bound; negative if the server's clock is behind
 * @param highMillis upper bound
 */
public record ServerClock(long lowMillis, long highMillis) {

    private static final long SECOND_MILLIS = 1000;
    private static final int MOST_ANSWERS = 60;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long NARROW_MILLIS = 50;

    /** A check that keeps the answer's Date. */
    private static final class DateCheck extends StatusCheck {

        private @Nullable String date;

        @Override
        public void begin(ResponseHead head) {
            date = head.field("Date");
        }

        @Override
        public @Nullable Failure end() {
            // Each status has a Date.
            return null;
        }
    }

    /**
     * Asks a server with a few dozen requests, for about a second if its answers come at once.
     *
     * @param goesOn whether there is time for another request
     * @return null if its answers have no Date, or contradict each other, as those of several servers may
     * @throws IOException if it answers neither the first request nor, while there is time, the second
     */
    public static @Nullable ServerClock read(Target target, Fetch fetch, BooleanSupplier goesOn) throws IOException {
        long low = Long.MIN_VALUE;
        long high = Long.MAX_VALUE;
        for (int i = 0; i < MOST_ANSWERS && (i == 0 || (high - low > NARROW_MILLIS && goesOn.getAsBoolean())); i++) {
            DateCheck check = new DateCheck();
            long before = System.currentTimeMillis();
            try {
                fetch.get(target, List.of(), check);
            } catch (IOException e) {
                if (low != Long.MIN_VALUE) {
                    // What the answers before have told stays true.
                    break;
                }
                if (!goesOn.getAsBoolean()) {
                    throw e;
                }
                // Nothing is known yet, and there is time: the answer may only have been late.
                fetch.get(target, List.of(), check);
            }
            long after = System.currentTimeMillis();
            Long date = millis(check.date);
            if (date == null) {
                return null;
            }
            low = Math.max(low, date - after);
            high = Math.min(high, date + SECOND_MILLIS - before);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return low > high ? null : new ServerClock(low, high);
    }

    private static @Nullable Long millis(@Nullable String date) {
        try {
            return date == null
                    ? null
                    : ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                            .toInstant()
                            .toEpochMilli();
        } catch (DateTimeParseException ignored) {
            // A Date in one of HTTP's obsolete forms counts as none.
            return null;
        }
    }
}
