package dev.millrace.transfer;

/** The way of one transfer through its algorithm. Used by one thread at a time. */
interface Course {
    /** What a transfer does when its socket is full. */
    enum Full {
        /** Its worker waits until the socket takes more. */
        WAIT,
        /** It lets its worker go until the selector says that the socket takes more. */
        PARK
    }

    /** The most bytes that the thread which writes the response sends by itself, without waiting; 0: none. */
    int firstBytes();

    /** The most bytes of the next turn. */
    int turnBytes();

    /** The socket is full. */
    Full onFull();
}
