package dev.millrace.load.run;

/** Learns about once a second how far a cell is. Called by the thread that runs the cell. */
@FunctionalInterface
interface ProgressListener {

    /**
     * The state of a running cell.
     *
     * @param warmingUp whether the window has not begun
     * @param seconds   time since the start of this phase
     * @param left      seconds to its end; NaN if a number of requests ends it
     * @param requests  verified answers in the last second, while warming up too
     * @param bytes     body bytes in the last second
     * @param errors    failures so far
     */
    void tick(boolean warmingUp, double seconds, double left, long requests, long bytes, long errors);
}
