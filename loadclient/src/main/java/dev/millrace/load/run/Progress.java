package dev.millrace.load.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Shows once a second on standard error how far a cell is. Confined to one thread. */
public final class Progress implements ProgressListener, AutoCloseable {

    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final String ERASE_LINE = "\r\u001b[K";

    /** The forms of progress. */
    public enum Style {
        /** A bar on a terminal, plain lines elsewhere. */
        AUTO,
        /** One line, written over. */
        BAR,
        /** A line per second. */
        PLAIN,
        /** Nothing. */
        NONE
    }

    private final PrintWriter err;
    private final String name;
    private final Style style;
    private boolean dirty;

    /** The progress of the cell of that name. */
    public Progress(PrintWriter err, String name, Style style) {
        this.err = err;
        this.name = name;
        this.style = style != Style.AUTO ? style : isTerminal() ? Style.BAR : Style.PLAIN;
    }

    @Override
    public void tick(boolean warmingUp, double seconds, long requests, long bytes, long errors) {
        String line = String.format(
                Locale.ROOT,
                "[%s] %s %.0fs  %,d req/s  %,.1f MB/s  errors %d",
                name,
                warmingUp ? "warm-up" : "window ",
                seconds,
                requests,
                bytes / BYTES_PER_MEGABYTE,
                errors);
        if (style == Style.BAR) {
            err.print(ERASE_LINE + line);
            err.flush();
            dirty = true;
        } else if (style == Style.PLAIN) {
            err.println(line);
        }
    }

    @Override
    public void close() {
        if (dirty) {
            err.print(ERASE_LINE);
            err.flush();
        }
    }

    /** Asks the kernel: System.console() does not tell about standard error, and is never null on JDK 22 and newer. */
    private static boolean isTerminal() {
        try {
            String device = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException ignored) {
            // Not Linux: plain lines suit every output.
            return false;
        }
    }
}
