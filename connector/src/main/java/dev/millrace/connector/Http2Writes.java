package dev.millrace.connector;

import dev.millrace.jetty.Http2Internals;
import java.util.Collection;
import java.util.concurrent.Executor;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;

/**
 * Lets connections of HTTP/2 collect more frames for a write than Jetty's, and gives each the {@link Http2Turns} that holds short
 * writes back. A stream whose answer leaves part by part is not idle. Public for JMX alone. Loaded only where there is HTTP/2.
 */
@ManagedObject("What connections of HTTP/2 write at once")
public final class Http2Writes implements Connection.Listener, HTTP2Session.FrameListener {
    /** For each field of a frame, Jetty adds up the bytes of all buffers of the write: that grows with the square of their number. */
    private static final int MOST_BYTES = TlsMemory.BATCH_BYTES / 2;

    private final StreamExecutor streams;
    private final ByteBufferPool buffers;
    private final Executor immediate;

    /** @param immediate runs a task by a thread that waits for no other one */
    Http2Writes(StreamExecutor streams, ByteBufferPool buffers, Executor immediate) {
        this.streams = streams;
        this.buffers = buffers;
        this.immediate = immediate;
    }

    /** Whether one of the protocols of a connector is HTTP/2. */
    static boolean arePossible(Collection<ConnectionFactory> factories) {
        return factories.stream().anyMatch(AbstractHTTP2ServerConnectionFactory.class::isInstance);
    }

    /** @return half of what a connection of TLS encrypts for one write; Jetty's is 32 KiB, its size of a servlet's buffer */
    @ManagedAttribute("Bytes of frames that a connection of HTTP/2 collects for a write")
    public int getBytes() {
        return MOST_BYTES;
    }

    @Override
    public void onOpened(Connection connection) {
        HTTP2Session session = Http2Internals.sessionOf(connection);
        if (session != null) {
            session.setWriteThreshold(Math.max(getBytes(), session.getWriteThreshold()));
            session.addEventListener(this);
            if (connection.getEndPoint() instanceof HoldingEndPoint endPoint) {
                HeldWrites held = new HeldWrites(endPoint.getWriteFlusher()::write, buffers, this::executeSoon);
                Http2Turns turns = new Http2Turns(streams, session, held);
                connection.addEventListener(turns);
                endPoint.setTurns(turns);
            }
        }
    }

    // Called before each write to the socket, when the one before has gone.
    // So a peer that takes nothing keeps no stream from being idle.
    @Override
    public void onOutgoingFrame(Session session, Frame frame) {
        if (frame instanceof DataFrame data) {
            Http2Internals.notIdle(session, data.getStreamId());
        }
    }

    // A write is not to wait in the pool's queue: its socket has room.
    void executeSoon(Runnable task) {
        if (streams.mayCollect()) {
            streams.toPool(task);
        } else {
            immediate.execute(task);
        }
    }

    @Override
    public String toString() {
        return "Http2Writes[" + getBytes() + "]";
    }
}
