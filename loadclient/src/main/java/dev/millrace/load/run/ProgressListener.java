package dev.millrace.load.run;

/** Told about once a second how far a cell is. Called by the thread that runs the cell. */
@FunctionalInterface
public interface ProgressListener {

    /**
     * The state of a running cell.
     *
     * @param warmingUp still before the window
     * @param seconds   since the start of this phase
     * @param requests  verified answers in the second that has passed, while warming up too
     * @param bytes     body bytes in the second that has passed; 0 while warming up
     * @param errors    failures so far
     */
    void tick(boolean warmingUp, double seconds, long requests, long bytes, long errors);
}
