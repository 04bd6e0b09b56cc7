package dev.millrace.load.replay;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CpuUse;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Measures windows again that the machine's host disturbed. The host of a virtual machine gives its cores to other
 * guests now and then, for seconds or minutes, and figures are worse meanwhile. Attempts are separated by pauses that
 * double. The least disturbed window counts, and a window with errors counts at once. Confined to one thread.
 */
final class QuietWindows {

    /** Attempts at each window. The pauses between them take 15 s. */
    static final int MOST_ATTEMPTS = 5;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final double maxStealPercent;
    private final Pause pause;
    private final PrintWriter err;
    private int again;
    private int disturbed;

    /** The pause between two attempts. */
    interface Pause {
        /** {@return whether another attempt may follow} */
        boolean rest(long nanos) throws InterruptedException;
    }

    /** One attempt at a window. */
    interface Window {
        CellResult measure() throws IOException, InterruptedException;
    }

    /** @param maxStealPercent share of the machine's time that the host may take */
    QuietWindows(double maxStealPercent, Pause pause, PrintWriter err) {
        this.maxStealPercent = maxStealPercent;
        this.pause = pause;
        this.err = err;
    }

    CellResult measure(Window window) throws IOException, InterruptedException {
        CellResult best = window.measure();
        long pauseNanos = FIRST_PAUSE_NANOS;
        for (int attempt = 1; isDisturbed(best) && attempt < MOST_ATTEMPTS && pause.rest(pauseNanos); attempt++) {
            err.printf(Locale.ROOT, "again: the machine's host took %.0f %% of it%n", stealPercent(best));
            again++;
            CellResult next = window.measure();
            if (next.stoppedEarly()) {
                // A whole window tells more than a part of one, however quiet that was.
                break;
            }
            if (next.errorCount() > 0) {
                return next;
            }
            best = stealPercent(next) < stealPercent(best) ? next : best;
            pauseNanos *= 2;
        }
        if (isDisturbed(best)) {
            disturbed++;
        }
        return best;
    }

    private boolean isDisturbed(CellResult result) {
        return result.errorCount() == 0 && stealPercent(result) > maxStealPercent;
    }

    private static double stealPercent(CellResult result) {
        CpuUse cpu = result.cpu();
        Double total = cpu.total();
        Double steal = cpu.steal();
        return total == null || total == 0 || steal == null ? 0 : steal / total * 100;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%d measured again, for the machine's host had taken more than %.0f %% of it; %d stayed so",
                again,
                maxStealPercent,
                disturbed);
    }
}
