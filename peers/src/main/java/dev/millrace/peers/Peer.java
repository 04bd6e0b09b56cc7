package dev.millrace.peers;

import java.time.Duration;

/** A server that can be measured. */
interface Peer {
    /** A connection without a request is kept for so long, because some measurements hold idle ones. */
    Duration IDLE_TIMEOUT = Duration.ofMinutes(5);

    /** The limit for a server that must be told how many connections it may have. */
    int MAX_CONNECTIONS = 20_000;

    /** Connections that may wait to be accepted; the system takes {@code net.core.somaxconn} of them at most. */
    int BACKLOG = 4096;

    /**
     * Starts to serve on 127.0.0.1.
     *
     * @return the port, when it accepts connections
     * @throws Exception when it cannot start
     */
    int start(Settings settings) throws Exception;

    /** Ends all connections and threads. Called by another thread than {@link #start}. */
    void stop() throws Exception;
}
