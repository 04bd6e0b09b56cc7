package dev.millrace.load.http;

import org.jspecify.annotations.Nullable;

/** Learns about the end of an exchange on a connection of HTTP/2. Called by the connection's thread. */
public interface StreamListener {

    /**
     * The exchange has ended.
     *
     * @param failure what is wrong with it, or null
     */
    void ended(@Nullable Failure failure);
}
