package dev.millrace.load.classics;

/**
 * How long things take, in seconds.
 *
 * @param starts    how often the servers are started anew: what their compilers make of the code is the luck of a
 *                  process, and intervals hold that luck only if there are several
 * @param repeats   blocks on servers started once, each of which measures every cell once
 * @param rehearsal a block whose figures are thrown away comes first, its times multiplied by this; 0 for none
 * @param warmup    load on a server that was just started, of all kinds that it will be measured under
 * @param settle    load before each window; a row may need more
 * @param window    what is measured; a row may need more
 * @param drain     bound on waiting for downloads begun in the window
 * @param throttled what a row's own lengths are multiplied by; 0 for 1
 */
public record Lengths(int starts, int repeats, double rehearsal, double warmup, double settle, double window,
                      double drain, double throttled) {

    /** The same, so often. */
    public Lengths repeated(int times) {
        return new Lengths(starts > 1 ? times : 1, starts > 1 ? repeats : times, rehearsal, warmup, settle, window,
                drain, throttled);
    }

    /** All of it longer or shorter, but for the drain: what is left to answer takes its time. */
    public Lengths scaled(double factor) {
        return new Lengths(starts, repeats, rehearsal, warmup * factor, settle * factor, window * factor,
                drain, factor() * factor);
    }

    /** All blocks whose figures count. */
    public int blocks() {
        return starts * repeats;
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
