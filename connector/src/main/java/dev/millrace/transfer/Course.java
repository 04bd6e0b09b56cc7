package dev.millrace.transfer;

/** The way of one transfer through its algorithm. Used by one thread at a time. */
interface Course {
    /** A wait that only the client's making room ends, or the end of the connection. */
    int UNLIMITED = -1;

    /** Less room than this is rarely all that a socket has. */
    int LEAST_SELECTOR_BYTES = 128 * 1024;

    /** The most bytes that the thread which writes the response sends by itself, without waiting; 0: none. */
    int firstBytes();

    /** The most bytes of a turn. */
    int turnBytes();

    /**
     * The socket took all that a turn may send.
     *
     * @param crowded whether other transfers wait for a worker
     * @return whether the same worker takes the next turn at once
     */
    default boolean keepsWorker(boolean crowded) {
        return false;
    }

    /**
     * The socket is full.
     *
     * @param sent what it has just taken, in bytes
     * @param nanoTime the time
     * @param crowded whether other transfers wait for a worker
     * @return for how many milliseconds the worker waits until the socket takes more; 0: not at all, the selector will
     *     tell; {@link #UNLIMITED}
     */
    int waitMillis(int sent, long nanoTime, boolean crowded);

    /**
     * The socket of a client that did not make room at once takes more again.
     *
     * @param nanoTime the time
     * @return the most bytes that the selector's own thread sends, if they are in memory; 0: none, a worker does
     */
    default int selectorBytes(long nanoTime) {
        return 0;
    }

    /**
     * A turn for the selector's own thread: what the socket of a slow client has room for is soon sent, and waking a worker
     * for it costs more. The room is about that of the last time, and grows by doubling: asking whether more than that
     * is in memory would be in vain.
     *
     * @param sent what filled the socket the last time, in bytes
     * @return the most bytes of that turn
     */
    static int afterRoomFor(int sent) {
        return Math.max(LEAST_SELECTOR_BYTES, Math.min(TransferAlgorithm.TURN_BYTES, sent * 2));
    }
}
