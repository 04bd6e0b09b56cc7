package dev.millrace.limits;

import org.eclipse.jetty.io.EndPoint;

/**
 * What an end point has sent, and what it waits for: what {@link PeerRates} measures. Written by the connection's threads, read by the
 * scheduler's.
 */
public interface PeerActivity extends EndPoint {
    /** Bytes sent so far. Written before, and read after, the idle timer's volatile time: see {@link PeerRates}. */
    long getSentBytes();

    /** Milliseconds without a byte in either direction. */
    long getIdleFor();

    /** Whether a read waits for the peer at this moment. */
    boolean awaitsRead();

    /** Whether a write waits for the peer at this moment. */
    boolean isWritePending();

    /** Bytes of the call that is writing at this moment, if it blocks: the peer may have taken any number of them. */
    default int getBytesInCall() {
        return 0;
    }
}
