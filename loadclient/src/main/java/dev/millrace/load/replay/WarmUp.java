package dev.millrace.load.replay;

import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The warm-up of a server: rounds of load until its JIT compilers have nothing left to do. A server that is measured
 * earlier takes two to three times the CPU, and takes another amount in each window. Confined to one thread.
 */
final class WarmUp {

    /** Rounds that make up the planned length, and the fewest. */
    static final int ROUNDS = 3;
    /** Four times the planned length: a server that still compiles then will not stop. */
    static final int MOST_ROUNDS = 12;
    /** Share of a round's time up to which compilers count as at rest. */
    private static final double RESTING_SHARE = 0.03;
    /** Rounds in a row: between two levels of compilation, compilers may rest for one. */
    private static final int RESTING_ROUNDS = 2;

    private final LongSupplier compilerNanos;
    private final LongSupplier nanoTime;
    private final BooleanSupplier goesOn;

    /** Load of every kind, and a rest for the compilers. */
    @FunctionalInterface
    interface Round {
        void run() throws IOException, InterruptedException;
    }

    /**
     * A warm-up.
     *
     * @param compilerNanos CPU time that the server's compilers have taken so far
     * @param nanoTime      the clock
     * @param goesOn        whether the user has not asked for the end
     */
    WarmUp(LongSupplier compilerNanos, LongSupplier nanoTime, BooleanSupplier goesOn) {
        this.compilerNanos = compilerNanos;
        this.nanoTime = nanoTime;
        this.goesOn = goesOn;
    }

    /**
     * Runs rounds until the server is warm.
     *
     * @return false if its compilers are still at work after the last round
     */
    boolean run(Round round) throws IOException, InterruptedException {
        int resting = 0;
        for (int done = 1; done <= MOST_ROUNDS && goesOn.getAsBoolean(); done++) {
            long compiled = compilerNanos.getAsLong();
            long begin = nanoTime.getAsLong();
            round.run();
            double most = RESTING_SHARE * (nanoTime.getAsLong() - begin);
            long taken = compilerNanos.getAsLong() - compiled;
            // Below 0: a compiler's thread has ended, and its time is unknown.
            resting = taken >= 0 && taken <= most ? resting + 1 : 0;
            if (done >= ROUNDS && resting >= RESTING_ROUNDS) {
                return true;
            }
        }
        return !goesOn.getAsBoolean();
    }
}
