package dev.millrace.load.run;

import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.host.ServerCpu;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Shows once a second on standard error how far a cell is. Confined to one thread. */
public final class Progress implements ProgressListener, AutoCloseable {

    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final int BAR_WIDTH = 10;
    private static final String ERASE_LINE = "\r\u001b[K";
    /** DECAWM: what is longer than the line ends with it. On a second line the next bar would leave it behind. */
    private static final String CUT = "\u001b[?7l";

    private static final String WRAP = "\u001b[?7h";

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
    private final @Nullable ServerCpu server;
    private long readAt;
    private OptionalLong serverNanos = OptionalLong.empty();
    private boolean dirty;

    /** The progress of the cell of that name, without the server's CPU. */
    public Progress(PrintWriter err, String name, Style style) {
        this(err, name, style, null);
    }

    /**
     * The progress of the cell of that name.
     *
     * @param server its CPU stands in the bar if it is on this machine; null if it is not known
     */
    public Progress(PrintWriter err, String name, Style style, @Nullable ServerCpu server) {
        this.err = err;
        this.name = name;
        this.style = style != Style.AUTO ? style : isTerminal() ? Style.BAR : Style.PLAIN;
        // A server that is asked by HTTP would get requests in the window that belong to no client.
        this.server = server instanceof ProcessCpu ? server : null;
    }

    @Override
    public void tick(boolean warmingUp, double seconds, double left, long requests, long bytes, long errors) {
        if (style == Style.BAR) {
            err.print(
                    CUT + ERASE_LINE + bar(warmingUp, seconds, left) + rates(requests, bytes, errors) + cores() + WRAP);
            err.flush();
            dirty = true;
        } else if (style == Style.PLAIN) {
            err.println(String.format(
                    Locale.ROOT,
                    "[%s] %s %.0fs  %s",
                    name,
                    warmingUp ? "warm-up" : "window ",
                    seconds,
                    rates(requests, bytes, errors)));
        }
    }

    private String bar(boolean warmingUp, double seconds, double left) {
        String phase = warmingUp ? "warm-up" : "window";
        if (Double.isNaN(left)) {
            return String.format(Locale.ROOT, "[%s] %s %.0fs  ", name, phase, seconds);
        }
        int done = (int) Math.round(BAR_WIDTH * seconds / (seconds + Math.max(0, left)));
        return String.format(
                Locale.ROOT,
                "[%s] %s %s%s %.0fs left  ",
                name,
                phase,
                "#".repeat(done),
                ".".repeat(BAR_WIDTH - done),
                Math.max(0, left));
    }

    private static String rates(long requests, long bytes, long errors) {
        return String.format(
                Locale.ROOT, "%,d req/s  %,.1f MB/s  errors %d", requests, bytes / BYTES_PER_MEGABYTE, errors);
    }

    /** The server's use of cores since the last line. */
    private String cores() {
        if (server == null) {
            return "";
        }
        long now = System.nanoTime();
        OptionalLong nanos = server.nanos();
        String text = "";
        if (nanos.isPresent() && serverNanos.isPresent()) {
            double cores = (nanos.getAsLong() - serverNanos.getAsLong()) / (double) (now - readAt);
            text = String.format(Locale.ROOT, "  server %.2f cpu", cores);
        }
        readAt = now;
        serverNanos = nanos;
        return text;
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
        if ("dumb".equals(System.getenv("TERM"))) {
            return false;
        }
        try {
            String device = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return device.startsWith("/dev/pts/") || device.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException ignored) {
            // Not Linux: plain lines suit every output.
            return false;
        }
    }
}
