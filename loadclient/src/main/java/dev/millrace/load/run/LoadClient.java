package dev.millrace.load.run;

/** A client of a cell: a thread with one connection. */
interface LoadClient extends Runnable {

    /** Bounds what the client is doing; the watchdog looks at it. */
    Deadline deadline();
}
