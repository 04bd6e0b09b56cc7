package dev.millrace.load;

import dev.millrace.load.run.ProgressListener;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A line per second on standard error; on a terminal the same line is written over. Confined to one thread. */
final class Progress implements ProgressListener, AutoCloseable {

    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final String ERASE_LINE = "\r\u001b[K";

    private final PrintWriter err;
    private final String name;
    private final boolean terminal = isTerminal();
    private boolean dirty;

    Progress(PrintWriter err, String name) {
        this.err = err;
        this.name = name;
    }

    @Override
    public void tick(boolean warmingUp, double seconds, long requests, long bytes, long errors) {
        String line = String.format(Locale.ROOT, "[%s] %s %.0fs  %,d req/s  %,.1f MB/s  errors %d", name,
                warmingUp ? "warm-up" : "window ", seconds, requests, bytes / BYTES_PER_MEGABYTE, errors);
        if (terminal) {
            err.print(ERASE_LINE + line);
            err.flush();
            dirty = true;
        } else {
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

    /** System.console() says nothing of standard error alone, and is never null on JDK 22 and newer. */
    private static boolean isTerminal() {
        try {
            String device = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException ignored) {
            // Not Linux: plain lines suit everything.
            return false;
        }
    }
}
