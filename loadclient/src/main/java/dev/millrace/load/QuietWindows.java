package dev.millrace.load;

import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CpuUse;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Measures windows again that the machine's host disturbed: on a virtual machine it gives the cores to others now and then, for
 * seconds or minutes, and what runs then does less and costs more. After a pause, which doubles; the window counts that the host
 * disturbed least. Windows with errors count at once. Confined to one thread.
 */
final class QuietWindows {

    /** Of each window: with the pauses it takes half a minute at most. */
    static final int MOST_ATTEMPTS = 5;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final double maxStealPercent;
    private final Pause pause;
    private final PrintWriter err;
    private int again;
    private int disturbed;

    /** How the time between two attempts is spent. */
    interface Pause {
        /** @return whether there is to be another attempt */
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
        return total == null || total == 0 ? 0 : cpu.steal() / total * 100;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%d measured again, for the machine's host had taken more than %.0f %% of it; %d stayed so",
                again, maxStealPercent, disturbed);
    }
}
