package dev.millrace.transfer;

import java.util.concurrent.TimeUnit;

/**
 * Goes by how long the client needed, the last time, to make room. While no other transfer wants the worker, a fast client
 * has it for as long as it keeps up, and is waited for when it was quick: that spares the way over the selector. Everybody else
 * is left to the selector at once, which sends by itself what is in memory: that spares the way over a worker.
 */
final class Adaptive extends TransferAlgorithm {
    static final Adaptive INSTANCE = new Adaptive();

    private Adaptive() {
    }

    @Override
    Course newCourse() {
        return new Pace();
    }

    @Override
    public String toString() {
        return "Adaptive";
    }

    /** How quick one client is. */
    static final class Pace implements Course {
        /** Waiting longer than this costs a worker more than the selector costs. */
        private static final int QUICK_MILLIS = 2;
        private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(QUICK_MILLIS);

        private boolean hasBeenFull;
        private int room;
        private long fullNanoTime;

        @Override
        public int firstBytes() {
            return TURN_BYTES;
        }

        @Override
        public int turnBytes() {
            return TURN_BYTES;
        }

        @Override
        public boolean keepsWorker(boolean crowded) {
            return !crowded;
        }

        // Nothing sent means that the wait before this was in vain, or that the system is short of memory.
        @Override
        public int waitMillis(int sent, long nanoTime, boolean crowded) {
            boolean quick = hasBeenFull && sent > 0 && nanoTime - fullNanoTime < QUICK_NANOS;
            hasBeenFull = true;
            room = sent;
            fullNanoTime = nanoTime;
            return quick && !crowded ? QUICK_MILLIS : 0;
        }

        @Override
        public int selectorBytes(long nanoTime) {
            boolean slow = hasBeenFull && nanoTime - fullNanoTime >= QUICK_NANOS;
            return slow ? Course.afterRoomFor(room) : 0;
        }
    }
}
