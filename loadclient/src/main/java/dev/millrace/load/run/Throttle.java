package dev.millrace.load.run;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Bounds the speed of one client's downloads. The bytes of a download are due at a constant rate from its first body
 * byte on. A client that is late, because checks took time, catches up. A pause after each read would not allow that.
 * Confined to one thread.
 */
final class Throttle {

    private static final int WAKEUPS_PER_SECOND = 16;
    private static final int MAX_QUANTUM = 64 * 1024;
    private static final int MIN_QUANTUM = 512;
    /** Bound on one wait, so that the client notices the end of the run. */
    private static final long MAX_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final double NANOS_PER_SECOND = 1e9;

    private final long bytesPerSecond;
    private long startNanos;
    private long bytes;

    Throttle(long bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Bytes to read at once, so that there are about 16 waits in a second. */
    static int quantum(long bytesPerSecond) {
        return (int) Math.max(MIN_QUANTUM, Math.min(MAX_QUANTUM, bytesPerSecond / WAKEUPS_PER_SECOND));
    }

    /** A download begins. */
    void start() {
        bytes = 0;
    }

    /** More bytes have come. */
    void received(int count, long now) {
        if (bytes == 0) {
            startNanos = now;
        }
        bytes += count;
    }

    /** Waits until all bytes so far are due, or the run is over. Returns whether they are due. */
    boolean await(BooleanSupplier over) {
        long left = dueNanos() - System.nanoTime();
        while (left > 0 && !over.getAsBoolean()) {
            LockSupport.parkNanos(Math.min(left, MAX_WAIT_NANOS));
            left = dueNanos() - System.nanoTime();
        }
        return left <= 0;
    }

    /** The moment at which all bytes so far are due. */
    long dueNanos() {
        // As integers, the product would not fit a long from 9.2 GB on.
        return startNanos + Math.round(NANOS_PER_SECOND * bytes / bytesPerSecond);
    }
}
