package dev.millrace.peers;

import java.time.Duration;

/** A server that can be measured. */
interface Peer {
    /** For how long a connection without a request is kept: measurements hold idle ones. */
    Duration IDLE_TIMEOUT = Duration.ofMinutes(5);

    /** What is asked of a server that counts its connections in advance. */
    int MAX_CONNECTIONS = 20_000;

    /** Connections that may wait to be accepted; the system takes {@code net.core.somaxconn} of them at most. */
    int BACKLOG = 4096;

    /**
     * Starts to serve on 127.0.0.1.
     *
     * @return the port
     */
    int start(Settings settings) throws Exception;

    /** Ends all connections and threads. */
    void stop() throws Exception;
}
