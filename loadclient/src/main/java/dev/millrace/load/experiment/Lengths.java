package dev.millrace.load.experiment;

/**
 * The lengths of an experiment's phases, in seconds, and their numbers. Immutable.
 *
 * @param starts    number of times that the servers are started. JIT compilers decide differently in each process, and
 *                  an interval includes this luck only with several starts
 * @param repeats   number of blocks per start, each of which measures every cell once
 * @param rehearsal factor for the times of a first block, whose figures are thrown away; 0 for no such block
 * @param warmup    load on a server that was just started, of all kinds that it will be measured under
 * @param settle    load before each window; a row may need more
 * @param window    measured window; a row may need more
 * @param drain     bound on waiting for downloads begun in the window
 * @param throttled factor for a row's own lengths; 0 counts as 1
 * @param further   rounds beyond the planned ones for the cells of claims that are undecided then: starts, or blocks if
 *                  there is one start
 */
public record Lengths(
        int starts,
        int repeats,
        double rehearsal,
        double warmup,
        double settle,
        double window,
        double drain,
        double throttled,
        int further) {

    /** The same lengths, with just that number of starts; of blocks, if there is one start. */
    public Lengths repeated(int times) {
        return new Lengths(
                starts > 1 ? times : 1,
                starts > 1 ? repeats : times,
                rehearsal,
                warmup,
                settle,
                window,
                drain,
                throttled,
                0);
    }

    /** All times multiplied by a factor, except the drain, because the last answers take the same time. */
    public Lengths scaled(double factor) {
        return new Lengths(
                starts,
                repeats,
                rehearsal,
                warmup * factor,
                settle * factor,
                window * factor,
                drain,
                factor() * factor,
                further);
    }

    /** Planned rounds: starts, or blocks if there is one start. */
    public int rounds() {
        return starts > 1 ? starts : repeats;
    }

    /** Number of all blocks whose figures count. */
    public int blocks() {
        return starts * repeats;
    }

    /** Load before a row's window. */
    public double settle(Row row) {
        return row.settle() == null ? settle : row.settle() * factor();
    }

    /** Measured window of a row. */
    public double window(Row row) {
        return row.window() == null ? window : row.window() * factor();
    }

    private double factor() {
        return throttled == 0 ? 1 : throttled;
    }
}
