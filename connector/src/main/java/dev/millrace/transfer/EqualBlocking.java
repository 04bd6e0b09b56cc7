package dev.millrace.transfer;

/**
 * A turn is a buffer's length, and its worker waits until the socket has taken all of it. A client that takes nothing holds
 * a worker until its idle timeout.
 */
final class EqualBlocking extends TransferAlgorithm implements Course {
    /** That of 2009 had 80 KiB: see decision 0017. */
    static final EqualBlocking INSTANCE = new EqualBlocking(256 * 1024);

    private final int bufferBytes;

    EqualBlocking(int bufferBytes) {
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("EqualBlocking needs a buffer of at least 1 byte");
        }
        this.bufferBytes = bufferBytes;
    }

    @Override
    Course newCourse() {
        return this;
    }

    @Override
    int blockingTurnBytes() {
        return bufferBytes;
    }

    @Override
    public int firstBytes() {
        return bufferBytes;
    }

    @Override
    public int turnBytes() {
        return bufferBytes;
    }

    @Override
    public int waitMillis(int sent, long nanoTime, boolean crowded) {
        return UNLIMITED;
    }

    @Override
    public String toString() {
        return "EqualBlocking(" + bufferBytes + ")";
    }
}
