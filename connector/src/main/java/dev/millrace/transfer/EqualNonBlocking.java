package dev.millrace.transfer;

/** A turn is what the socket takes at once; then the worker is free, and any goes on when the socket takes more. */
final class EqualNonBlocking extends TransferAlgorithm implements Course {
    static final EqualNonBlocking INSTANCE = new EqualNonBlocking();

    private EqualNonBlocking() {
    }

    @Override
    Course newCourse() {
        return this;
    }

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
        return 0;
    }

    @Override
    public String toString() {
        return "EqualNonBlocking";
    }
}
