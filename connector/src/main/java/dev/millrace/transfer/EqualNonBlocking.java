package dev.millrace.transfer;

/**
 * A turn is what the socket takes at once; then the worker is free, and whoever finds that the socket takes more goes on: the
 * selector's own thread with what is in memory, or any worker. Nobody waits for a client.
 */
final class EqualNonBlocking extends TransferAlgorithm {
    static final EqualNonBlocking INSTANCE = new EqualNonBlocking();

    private EqualNonBlocking() {
    }

    @Override
    Course newCourse() {
        return new Turns();
    }

    @Override
    public String toString() {
        return "EqualNonBlocking";
    }

    /** How much one client's socket took, the last time that it was full. */
    private static final class Turns implements Course {
        private int room;

        @Override
        public int firstBytes() {
            return TURN_BYTES;
        }

        @Override
        public int turnBytes() {
            return TURN_BYTES;
        }

        @Override
        public int waitMillis(int sent, long nanoTime, boolean crowded) {
            room = sent;
            return 0;
        }

        @Override
        public int selectorBytes(long nanoTime) {
            return Course.afterRoomFor(room);
        }
    }
}
