package dev.millrace.load.classics;

/**
 * How long things take, in seconds.
 *
 * @param repeats   blocks, each of which measures every cell once
 * @param restart   whether each block starts the servers anew: compilers and memory layout are luck of a process, and the
 *                  intervals hold that luck only then
 * @param warmup    load on a server that was just started, of all kinds that it will be measured under
 * @param settle    load before each window; a row may need more
 * @param window    what is measured; a row may need more
 * @param drain     bound on waiting for downloads begun in the window
 * @param throttled what a row's own lengths are multiplied by; 0 for 1
 */
public record Lengths(int repeats, boolean restart, double warmup, double settle, double window, double drain,
                      double throttled) {

    /** The same but for the number of blocks. */
    public Lengths repeated(int blocks) {
        return new Lengths(blocks, restart, warmup, settle, window, drain, throttled);
    }

    /** All of it longer or shorter. */
    public Lengths scaled(double factor) {
        return new Lengths(repeats, restart, warmup * factor, settle * factor, window * factor, drain * factor,
                factor() * factor);
    }

    /** Load before a row's window. */
    public double settle(Row row) {
        return row.settle() == null ? settle : row.settle() * factor();
    }

    /** A row's window. */
    public double window(Row row) {
        return row.window() == null ? window : row.window() * factor();
    }

    private double factor() {
        return throttled == 0 ? 1 : throttled;
    }
}
