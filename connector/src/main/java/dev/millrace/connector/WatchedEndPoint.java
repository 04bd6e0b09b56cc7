package dev.millrace.connector;

import dev.millrace.transfer.TransferEndPoint;

/** An end point that {@link SlowPeers} looks at, from the scheduler's thread. */
interface WatchedEndPoint extends TransferEndPoint {
    /** Bytes sent so far. Written before, and read after, the idle timer's volatile time: see {@link PeerPace}. */
    long getSentBytes();

    /** Milliseconds without a byte in either direction. */
    long getIdleFor();

    /** Whether a write waits for the peer at this moment. */
    boolean isWritePending();

    /** What the last look left behind; used by the scheduler's thread only. */
    PeerPace getPace();
}
