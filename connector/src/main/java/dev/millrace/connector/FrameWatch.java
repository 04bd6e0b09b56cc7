package dev.millrace.connector;

import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.NanoTime;

/**
 * Finds peers of HTTP/2 that begin a frame and do not end it: a head that is trickled, in one HEADERS frame or in one
 * CONTINUATION after the other (RFC 9113 section 6.10), or the preface. Jetty tells of a head when it is whole, of DATA as it comes,
 * and of all other frames; so whose bytes come while it tells of nothing is in the middle of such a frame, whatever the server
 * sends meanwhile.
 *
 * <p>Loaded only where there is HTTP/2. Frames are counted by the connection's thread, all else is the scheduler's.
 */
final class FrameWatch implements HTTP2Session.FrameListener {
    // A frame of a type that Jetty does not know (RFC 9113 section 5.5) looks like the beginning of another: clients send one now
    // and then.
    private static final int MOST_STRAY_ARRIVALS = 3;

    // Written by one thread at a time.
    private volatile int frames;
    private int framesSeen;
    private long bytesSeen;
    private int arrivals;
    private long beginNanoTime;

    private FrameWatch(long bytesSeen) {
        this.bytesSeen = bytesSeen;
    }

    /**
     * To be asked again and again: the first time it only begins to watch.
     *
     * @param outermost what the end point's bytes are given to, TLS or HTTP/2 itself: a record of TLS may be trickled too
     * @param connection what peer and server speak
     * @return since when a frame has been coming, in milliseconds, about; 0 when none has, or for another protocol
     */
    static long millisInFrame(Connection outermost, Connection connection) {
        if (!(connection instanceof HTTP2Connection http2)) {
            return 0;
        }
        long bytes = outermost.getBytesIn();
        HTTP2Session session = http2.getSession();
        for (Object listener : session.getEventListeners()) {
            if (listener instanceof FrameWatch watch) {
                return watch.look(bytes);
            }
        }
        session.addEventListener(new FrameWatch(bytes));
        return 0;
    }

    private long look(long bytes) {
        int framesNow = frames;
        if (framesNow != framesSeen) {
            arrivals = 0;
        } else if (bytes != bytesSeen && arrivals++ == 0) {
            beginNanoTime = NanoTime.now();
        }
        framesSeen = framesNow;
        bytesSeen = bytes;
        return arrivals > MOST_STRAY_ARRIVALS ? NanoTime.millisSince(beginNanoTime) : 0;
    }

    @Override
    public void onIncomingFrame(Session session, Frame frame) {
        frames++;
    }
}
