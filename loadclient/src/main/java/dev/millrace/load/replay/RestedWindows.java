package dev.millrace.load.replay;

import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures windows again in which the server's JIT compilers worked. A warm-up has few clients. With all of them other code of the
 * server is hot, and is compiled in the first windows. A cell then takes a seventh more CPU. The window in which the compilers took least
 * counts, and a window with errors counts at once. See decision 0095. Confined to one thread.
 */
final class RestedWindows {

    /** Attempts at each window. */
    static final int MOST_ATTEMPTS = 4;
    /** Share of a window's time up to which compilers count as at rest. */
    private static final double RESTING_SHARE = 0.05;
    /** Linux counts a thread's CPU in ticks of 10 ms: one tick says next to nothing. */
    private static final double LEAST_SECONDS = 0.02;

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PrintWriter err;
    private int again;
    private int unrested;

    RestedWindows(PrintWriter err) {
        this.err = err;
    }

    /** @param compilerNanos CPU time that the server's compilers have taken so far */
    CellResult measure(LongSupplier compilerNanos, QuietWindows.Window window)
            throws IOException, InterruptedException {
        Attempt best = attempt(compilerNanos, window);
        for (int attempt = 1; best.mayBeBetter() && attempt < MOST_ATTEMPTS; attempt++) {
            err.println("again: " + best.reason());
            again++;
            Attempt next = attempt(compilerNanos, window);
            if (next.result.stoppedEarly()) {
                // A whole window tells more than a part of one.
                return best.result;
            }
            best = next.result.errorCount() > 0 || next.compiledSeconds < best.compiledSeconds ? next : best;
        }
        if (best.mayBeBetter()) {
            unrested++;
        }
        return best.result;
    }

    private static Attempt attempt(LongSupplier compilerNanos, QuietWindows.Window window)
            throws IOException, InterruptedException {
        long before = compilerNanos.getAsLong();
        CellResult result = window.measure();
        long taken = compilerNanos.getAsLong() - before;
        // Below 0: a compiler's thread has ended, and its time is unknown.
        return new Attempt(result, taken < 0 ? Double.POSITIVE_INFINITY : taken / NANOS);
    }

    /** @param compiledSeconds CPU time of the server's compilers from before the clients connected until the last answer */
    private record Attempt(CellResult result, double compiledSeconds) {

        boolean mayBeBetter() {
            return result.errorCount() == 0
                    && !result.stoppedEarly()
                    && compiledSeconds > Math.max(LEAST_SECONDS, RESTING_SHARE * result.windowSeconds());
        }

        String reason() {
            return Double.isInfinite(compiledSeconds)
                    ? "a thread of the server's JIT compilers has ended, and its time is unknown"
                    : String.format(
                            Locale.ROOT, "the server's JIT compilers took %.0f ms in it", compiledSeconds * 1000);
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d measured again, for the server's JIT compilers had taken more than %.0f %% of it; %d stayed so",
                again,
                RESTING_SHARE * 100,
                unrested);
    }
}
