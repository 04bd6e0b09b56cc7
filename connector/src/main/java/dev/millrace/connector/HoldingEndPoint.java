package dev.millrace.connector;

import org.eclipse.jetty.io.WriteFlusher;
import org.jspecify.annotations.Nullable;

/** The end point under a connection of HTTP/2. It tells {@link Http2Turns} of each read, and lets short writes be held back. */
interface HoldingEndPoint {
    /** @param turns of this connection, from its first read on */
    void setTurns(Http2Turns turns);

    /** @return the turns of this connection; null before its first read */
    @Nullable Http2Turns getTurns();

    /** @return writes at once, and has one write pending at a time */
    WriteFlusher getWriteFlusher();
}
