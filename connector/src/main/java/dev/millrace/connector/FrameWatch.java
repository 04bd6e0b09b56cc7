package dev.millrace.connector;

import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.NanoTime;

/**
 * Finds peers of HTTP/2 that are slow on purpose.
 *
 * <p>Who begins a frame and does not end it: a head that is trickled, in one HEADERS frame or in one CONTINUATION after the
 * other (RFC 9113 section 6.10), or the preface. Jetty tells of a head when it is whole, of DATA as it comes, and of all other frames;
 * so whose bytes come while it tells of nothing is in the middle of such a frame, whatever the server sends meanwhile.
 *
 * <p>Who opens a closed window of flow control by drops, for an answer that is to last (CVE-2019-9511). Who does not open it at all is
 * not meant: somebody may watch a film and have stopped it, and the idle timeout of a stream is what ends that. But whoever feeds that
 * timeout with drops of content is.
 *
 * <p>Loaded only where there is HTTP/2. Frames are counted by the connection's thread, all else is the scheduler's.
 */
final class FrameWatch implements HTTP2Session.FrameListener {
    // A frame of a type that Jetty does not know (RFC 9113 section 5.5) looks like the beginning of another: clients send one now
    // and then.
    private static final int MOST_STRAY_ARRIVALS = 3;
    private static final String MAY_BE_SILENT = FrameWatch.class.getName() + ".mayBeSilent";

    // Both written by one thread at a time.
    private volatile int frames;
    /** By so many the peer has opened closed windows; or it has sent so many there, and was not silent for that. */
    private volatile long grantedBytes;
    private int framesSeen;
    private long bytesSeen;
    private int arrivals;
    private long beginNanoTime;
    private long lookNanoTime = NanoTime.now();
    private int closedWindows;
    private Pace grants;

    private FrameWatch(long bytesSeen) {
        this.bytesSeen = bytesSeen;
    }

    /**
     * Looks at a connection, of which it must be told again and again: the first time it only begins to watch.
     *
     * @param outermost what the end point's bytes are given to, TLS or HTTP/2 itself: a record of TLS may be trickled too
     * @param connection what peer and server speak
     * @return what was found; null for another protocol
     */
    static FrameWatch look(Connection outermost, Connection connection, long graceMillis) {
        if (!(connection instanceof HTTP2Connection http2)) {
            return null;
        }
        long bytes = outermost.getBytesIn();
        HTTP2Session session = http2.getSession();
        for (Object listener : session.getEventListeners()) {
            if (listener instanceof FrameWatch watch) {
                watch.lookAtFrames(bytes);
                watch.lookAtWindows(session, graceMillis);
                return watch;
            }
        }
        FrameWatch watch = new FrameWatch(bytes);
        session.addEventListener(watch);
        return watch;
    }

    private void lookAtFrames(long bytes) {
        int framesNow = frames;
        if (framesNow != framesSeen) {
            arrivals = 0;
        } else if (bytes != bytesSeen && arrivals++ == 0) {
            beginNanoTime = NanoTime.now();
        }
        framesSeen = framesNow;
        bytesSeen = bytes;
    }

    private void lookAtWindows(HTTP2Session session, long graceMillis) {
        long now = NanoTime.now();
        closedWindows = 0;
        for (Stream stream : session.getStreams()) {
            closedWindows += isClosed((HTTP2Stream) stream) ? 1 : 0;
        }
        if (closedWindows == 0 && session.getSendWindow() <= 0) {
            closedWindows = 1;
        }
        grants = Pace.sampled(grants, closedWindows > 0, grantedBytes, NanoTime.millisElapsed(lookNanoTime, now), graceMillis);
        lookNanoTime = now;
    }

    private static boolean isClosed(HTTP2Stream stream) {
        return stream.getSendWindow() <= 0 && stream.getAttribute(MAY_BE_SILENT) == null;
    }

    /** Leaves a stream alone. */
    static void setMayBeSilent(Connection connection, int streamId) {
        HTTP2Stream stream = ((HTTP2Connection) connection).getSession().getStream(streamId);
        if (stream != null) {
            stream.setAttribute(MAY_BE_SILENT, true);
        }
    }

    /** Since when a frame has been coming, in milliseconds, about; 0 when none has. */
    long millisInFrame() {
        return arrivals > MOST_STRAY_ARRIVALS ? NanoTime.millisSince(beginNanoTime) : 0;
    }

    /** Whether the peer opens its windows, but by fewer bytes than this for each that is closed. */
    boolean opensWindowsBelow(long bytesPerSecond, long graceMillis) {
        return grants != null && grants.hasMoved() && grants.isBelow(bytesPerSecond * closedWindows, graceMillis);
    }

    /** Whether more content of a request may come, and none lies there that the application could have had. */
    static boolean mayHaveContent(Connection connection, int streamId) {
        HTTP2Session session = ((HTTP2Connection) connection).getSession();
        HTTP2Stream stream = session.getStream(streamId);
        // Content of other requests that lies unread may have closed the connection's window: then it is not the peer's turn.
        return stream != null && !stream.isRemotelyClosed() && !stream.isLastDataReceived() && stream.getDataLength() == 0
                && stream.getRecvWindow() > 0 && session.getRecvWindow() > 0;
    }

    @Override
    public void onIncomingFrame(Session session, Frame frame) {
        frames++;
        // All that keeps a stream from being idle.
        if (frame instanceof WindowUpdateFrame update) {
            grant(session, update.getStreamId(), update.getWindowDelta());
        } else if (frame instanceof DataFrame data) {
            grant(session, data.getStreamId(), Math.max(1, data.remaining()));
        } else if (frame instanceof SettingsFrame settings && !settings.isReply()) {
            // May open the windows of all streams by a byte (RFC 9113 section 6.9.2).
            grantedBytes++;
        }
    }

    private void grant(Session session, int streamId, int bytes) {
        if (isClosed((HTTP2Session) session, streamId)) {
            grantedBytes += bytes;
        }
    }

    private static boolean isClosed(HTTP2Session session, int streamId) {
        if (streamId == 0) {
            return session.getSendWindow() <= 0;
        }
        HTTP2Stream stream = session.getStream(streamId);
        return stream != null && isClosed(stream);
    }
}
