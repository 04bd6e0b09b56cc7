package dev.millrace.transfer;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How transfers share the workers, and what a transfer does when its socket is full. Chosen by name: see {@link #of}.
 * Immutable.
 *
 * <p>{@code Adaptive} is Millrace's own. The other three are those of Igor Minar's grizzly-sendfile (2009).
 */
public final class TransferAlgorithm {
    /** The most bytes of one system call, and of a turn that has no bound of its own, as nginx's {@code sendfile_max_chunk}. */
    public static final int TURN_BYTES = 2 * 1024 * 1024;
    /** Grizzly's had 80 KiB. Decision 0017 has the measurements. */
    private static final int EQUAL_BLOCKING_BYTES = 256 * 1024;

    /** A socket rarely has less room than this. */
    private static final int LEAST_SELECTOR_BYTES = 128 * 1024;

    private static final Pattern SYNTAX = Pattern.compile("(\\w+)(?:\\((\\d{1,9})\\))?");

    private final String name;
    private final int ownThreadTurnBytes;
    private final Supplier<Policy> policies;

    private TransferAlgorithm(String name, int ownThreadTurnBytes, Supplier<Policy> policies) {
        this.name = name;
        this.ownThreadTurnBytes = ownThreadTurnBytes;
        this.policies = policies;
    }

    /**
     * Finds an algorithm by its name:
     *
     * <ul>
     *   <li>{@code SimpleBlocking}: a worker owns a transfer until its end.
     *   <li>{@code EqualNonBlocking}: a turn ends when the socket is full. The selector's thread or any worker goes on when it has room.
     *   <li>{@code EqualBlocking(bytes)}: a turn ends when that many bytes are sent, 262,144 unless given.
     *   <li>{@code Adaptive}: goes by how long the client needed, the last time, to make room.
     * </ul>
     *
     * @param text one of these
     * @return the algorithm; its {@code toString} is its name
     * @throws IllegalArgumentException for any other text
     */
    public static TransferAlgorithm of(String text) {
        Matcher parts = SYNTAX.matcher(text.trim());
        if (!parts.matches()) {
            throw unknown(text);
        }
        String bytes = parts.group(2);
        if (parts.group(1).equals("EqualBlocking")) {
            return equalBlocking(bytes == null ? EQUAL_BLOCKING_BYTES : Integer.parseInt(bytes));
        }
        if (bytes != null) {
            throw unknown(text);
        }
        return switch (parts.group(1)) {
            case "SimpleBlocking" -> shared("SimpleBlocking", 0, new BlockingPolicy(0, Integer.MAX_VALUE));
            case "EqualNonBlocking" -> new TransferAlgorithm("EqualNonBlocking", 0, NonBlockingPolicy::new);
            case "Adaptive" -> new TransferAlgorithm("Adaptive", 0, AdaptivePolicy::new);
            default -> throw unknown(text);
        };
    }

    private static TransferAlgorithm equalBlocking(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("EqualBlocking needs a buffer of at least 1 byte");
        }
        return shared("EqualBlocking(" + bytes + ")", bytes, new BlockingPolicy(bytes, bytes));
    }

    private static TransferAlgorithm shared(String name, int ownThreadTurnBytes, Policy stateless) {
        return new TransferAlgorithm(name, ownThreadTurnBytes, () -> stateless);
    }

    private static IllegalArgumentException unknown(String text) {
        return new IllegalArgumentException("algorithm is SimpleBlocking, EqualNonBlocking, EqualBlocking, "
                + "EqualBlocking(bytes) or Adaptive, not " + text);
    }

    /** @return the decisions of one transfer over a channel that does not block */
    public Policy newPolicy() {
        return policies.get();
    }

    /** See {@link FileRegion#ownThreadTurnBytes}. */
    int ownThreadTurnBytes() {
        return ownThreadTurnBytes;
    }

    @Override
    public String toString() {
        return name;
    }

    /** The decisions of one transfer over a channel that does not block. Used by one thread at a time. */
    public interface Policy {
        /** A wait that ends only when the client makes room or the connection ends. */
        int UNLIMITED = -1;

        /** @return the most bytes that the thread that writes the response sends by itself, without waiting; 0: none */
        default int firstBytes() {
            return TURN_BYTES;
        }

        /** @return the most bytes of a worker's turn */
        default int turnBytes() {
            return TURN_BYTES;
        }

        /**
         * Called when the socket has taken all that a turn may send.
         *
         * @param crowded whether other transfers wait for a worker
         * @return whether the same worker takes the next turn at once
         */
        default boolean keepsWorker(boolean crowded) {
            return false;
        }

        /**
         * Called when the socket is full.
         *
         * @param sent what the socket has just taken, in bytes
         * @param nanoTime now, by {@link System#nanoTime}
         * @param crowded whether other transfers wait for a worker
         * @return for how many milliseconds the worker waits for room; 0: not at all, the selector tells; {@link #UNLIMITED}
         */
        int waitMillis(int sent, long nanoTime, boolean crowded);

        /**
         * Called when the socket of a client that did not make room at once has room again.
         *
         * @param nanoTime now, by {@link System#nanoTime}
         * @return the most bytes that the selector's own thread sends, if they are in memory; 0: none, a worker does
         */
        default int selectorBytes(long nanoTime) {
            return 0;
        }
    }

    // A slow client has room for little. It is soon sent, and waking a worker for it costs more. The bound follows the
    // last room and grows by doubling, because mincore(2) must be asked about each part more.
    private static int selectorBytesAfter(int lastRoomBytes) {
        return Math.max(LEAST_SELECTOR_BYTES, Math.min(TURN_BYTES, lastRoomBytes * 2));
    }

    /**
     * A worker waits until the socket has taken all of its turn. A client that takes nothing holds a worker until its idle
     * timeout. With turns of unlimited length a worker owns a transfer from its first byte to its end.
     */
    private record BlockingPolicy(int firstBytes, int turnBytes) implements Policy {
        @Override
        public int waitMillis(int sent, long nanoTime, boolean crowded) {
            return UNLIMITED;
        }
    }

    /** A turn is what the socket takes at once. Then the worker is free: no thread waits for a client. */
    private static final class NonBlockingPolicy implements Policy {
        private int lastRoomBytes;

        @Override
        public int waitMillis(int sent, long nanoTime, boolean crowded) {
            lastRoomBytes = sent;
            return 0;
        }

        @Override
        public int selectorBytes(long nanoTime) {
            return selectorBytesAfter(lastRoomBytes);
        }
    }

    /**
     * Goes by how long the client needed, the last time, to make room. A client that takes all at once keeps its worker while no other
     * transfer wants one. The worker waits for a client that was quick: that spares the way over the selector. Any other client is left to
     * the selector at once, whose thread sends what is in memory: that spares the way over a worker.
     */
    static final class AdaptivePolicy implements Policy {
        /** To wait longer than this costs a worker more than the selector costs. */
        private static final int QUICK_MILLIS = 2;

        private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(QUICK_MILLIS);

        private boolean hasBeenFull;
        private int lastRoomBytes;
        private long fullNanoTime;

        @Override
        public boolean keepsWorker(boolean crowded) {
            return !crowded;
        }

        // Nothing sent means that the wait before this was in vain, or that the system is short of memory.
        @Override
        public int waitMillis(int sent, long nanoTime, boolean crowded) {
            boolean quick = hasBeenFull && sent > 0 && nanoTime - fullNanoTime < QUICK_NANOS;
            hasBeenFull = true;
            lastRoomBytes = sent;
            fullNanoTime = nanoTime;
            return quick && !crowded ? QUICK_MILLIS : 0;
        }

        @Override
        public int selectorBytes(long nanoTime) {
            boolean slow = hasBeenFull && nanoTime - fullNanoTime >= QUICK_NANOS;
            return slow ? selectorBytesAfter(lastRoomBytes) : 0;
        }
    }
}
