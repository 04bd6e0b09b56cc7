package dev.millrace.transfer;

/** A worker owns a transfer from its first byte to its end: the best for few fast clients, and a queue for the others. */
final class SimpleBlocking extends TransferAlgorithm implements Course {
    static final SimpleBlocking INSTANCE = new SimpleBlocking();

    private SimpleBlocking() {
    }

    @Override
    Course newCourse() {
        return this;
    }

    @Override
    public int firstBytes() {
        return 0;
    }

    @Override
    public int turnBytes() {
        return Integer.MAX_VALUE;
    }

    @Override
    public int waitMillis(int sent, long nanoTime, boolean crowded) {
        return UNLIMITED;
    }

    @Override
    public String toString() {
        return "SimpleBlocking";
    }
}
