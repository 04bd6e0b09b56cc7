package dev.millrace.connector;

import java.nio.ByteBuffer;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** The end point under a connection of HTTP/2. It tells {@link Http2Turns} of each read, and lets short writes be held back. */
interface HoldingEndPoint {
    /** @param turns of this connection, from its first read on */
    void setTurns(Http2Turns turns);

    /** @return the turns of this connection; null before its first read */
    @Nullable Http2Turns getTurns();

    /** Writes at once. As {@link org.eclipse.jetty.io.EndPoint#write}, of which one at a time may be pending. */
    void writeNow(Callback callback, ByteBuffer... buffers);
}
