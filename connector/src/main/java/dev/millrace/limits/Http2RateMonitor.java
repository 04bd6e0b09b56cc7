package dev.millrace.limits;

import dev.millrace.jetty.Http2Internals;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.Frame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.http2.frames.WindowUpdateFrame;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;

/**
 * Finds peers of HTTP/2 that are slow on purpose.
 *
 * <p>A peer may begin a frame and not end it. What it trickles is a head, in one HEADERS frame or in many of
 * CONTINUATION (RFC 9113 section 6.10), or the preface. Jetty tells of a head when it is whole, of DATA as it comes,
 * and of all other frames. So bytes that come while it tells of nothing are in the middle of such a frame, whatever the
 * server sends meanwhile.
 *
 * <p>A peer may open a closed window of flow control by drops, for an answer that is to last (CVE-2019-9511). A peer that does not open it
 * any more is left alone: it may have paused a film, and the stream's idle timeout ends that. A peer that feeds that timeout, with drops of
 * content or with trailers, is not left alone.
 *
 * <p>Loaded only where there is HTTP/2. Frames are counted by the connection's thread, all else is the scheduler's.
 */
final class Http2RateMonitor implements HTTP2Session.FrameListener {
    // A frame of a type that Jetty does not know (RFC 9113 section 5.5) looks like the beginning of another. Clients
    // send one now and then.
    private static final int MOST_STRAY_ARRIVALS = 3;
    private static final String MAY_BE_SILENT = Http2RateMonitor.class.getName() + ".mayBeSilent";

    // The connection's thread writes it, the scheduler's reads it.
    private final AtomicInteger frames = new AtomicInteger();
    private int framesSeen;
    private long bytesSeen;
    // Looks since the last frame that have found more bytes.
    private int looksWithoutFrame;
    private long beginNanoTime;
    private long lookNanoTime;
    // By how much the peer opens closed windows, and what it sends there: either keeps a stream from being idle.
    private final WindowMeter windows = new WindowMeter();

    private Http2RateMonitor(long bytesSeen, long now) {
        this.bytesSeen = bytesSeen;
        this.lookNanoTime = now;
    }

    /**
     * Looks at a connection. The first look only begins to watch it.
     *
     * @param outermost what the end point's bytes are given to, TLS or HTTP/2 itself: a record of TLS may be trickled too
     * @param connection what peer and server speak
     * @return what was found; null for another protocol
     */
    static @Nullable Http2RateMonitor look(Connection outermost, Connection connection, long now, long graceMillis) {
        HTTP2Session session = Http2Internals.sessionOf(connection);
        if (session == null) {
            return null;
        }
        long bytes = outermost.getBytesIn();
        for (Object listener : session.getEventListeners()) {
            if (listener instanceof Http2RateMonitor monitor) {
                monitor.lookAtFrames(bytes, now);
                monitor.lookAtWindows(session, now, graceMillis);
                return monitor;
            }
        }
        Http2RateMonitor monitor = new Http2RateMonitor(bytes, now);
        session.addEventListener(monitor);
        return monitor;
    }

    private void lookAtFrames(long bytes, long now) {
        int framesNow = frames.get();
        if (framesNow != framesSeen) {
            looksWithoutFrame = 0;
        } else if (bytes != bytesSeen && looksWithoutFrame++ == 0) {
            beginNanoTime = now;
        }
        framesSeen = framesNow;
        bytesSeen = bytes;
    }

    private void lookAtWindows(HTTP2Session session, long now, long graceMillis) {
        Set<Integer> closed = new HashSet<>();
        for (Stream stream : session.getStreams()) {
            if (isHeldUp(session, stream)) {
                closed.add(stream.getId());
            }
        }
        if (session.getSendWindow() <= 0) {
            closed.add(WindowMeter.CONNECTION);
        }
        windows.look(closed, NanoTime.millisElapsed(lookNanoTime, now), graceMillis);
        lookNanoTime = now;
    }

    private static boolean isClosed(Stream stream) {
        return Http2Internals.isSendWindowClosed(stream) && stream.getAttribute(MAY_BE_SILENT) == null;
    }

    /** Notes that a stream, such as one of gRPC, may leave its window closed for as long as it likes. */
    static void setMayBeSilent(Connection connection, int streamId) {
        HTTP2Session session = Http2Internals.sessionOf(connection);
        Stream stream = session == null ? null : session.getStream(streamId);
        if (stream != null) {
            stream.setAttribute(MAY_BE_SILENT, true);
        }
    }

    /** For about how many milliseconds a frame has been coming; 0 when none is. */
    long millisInFrame() {
        return looksWithoutFrame > MOST_STRAY_ARRIVALS ? NanoTime.millisElapsed(beginNanoTime, lookNanoTime) : 0;
    }

    /** Whether the peer opens windows, but by fewer bytes than this for each of them. Those that it leaves closed owe nothing. */
    boolean opensWindowsBelow(long bytesPerSecond, long graceMillis) {
        return windows.isBelow(bytesPerSecond, graceMillis);
    }

    @Override
    public void onIncomingFrame(Session session, Frame frame) {
        frames.incrementAndGet();
        // All that keeps a stream from being idle.
        if (frame instanceof WindowUpdateFrame update) {
            grant((HTTP2Session) session, update);
        } else if (frame instanceof DataFrame data) {
            feed((HTTP2Session) session, data.getStreamId(), Math.max(1, data.remaining()));
        } else if (frame instanceof HeadersFrame trailers) {
            feed((HTTP2Session) session, trailers.getStreamId(), 1);
        } else if (frame instanceof SettingsFrame settings && !settings.isReply()) {
            // May open the windows of all streams by a byte (RFC 9113 section 6.9.2).
            windows.grantAll(1);
        }
    }

    // While the connection's window is closed, nothing can leave by that of a stream, however wide that is opened.
    private void grant(HTTP2Session session, WindowUpdateFrame update) {
        int streamId = update.getStreamId();
        Stream stream = session.getStream(streamId);
        if (streamId == WindowMeter.CONNECTION || session.getSendWindow() > 0) {
            if (streamId == WindowMeter.CONNECTION
                    ? session.getSendWindow() <= 0
                    : stream != null && isClosed(stream)) {
                windows.grant(streamId, update.getWindowDelta());
            }
        } else if (stream != null && stream.getAttribute(MAY_BE_SILENT) == null) {
            windows.grant(isClosed(stream) ? streamId : WindowMeter.CONNECTION, 1);
        }
    }

    // Only of a stream that the look before has found held up.
    private void feed(HTTP2Session session, int streamId, int bytes) {
        Stream stream = session.getStream(streamId);
        if (stream != null && isHeldUp(session, stream)) {
            windows.grant(streamId, bytes);
        }
    }

    /** Whether the peer lets nothing leave by a stream: by its own window, or by the connection's when an answer has begun. */
    private static boolean isHeldUp(HTTP2Session session, Stream stream) {
        return isClosed(stream)
                || (session.getSendWindow() <= 0
                        && stream.getAttribute(MAY_BE_SILENT) == null
                        && Http2Internals.hasBegunToAnswer(stream));
    }
}
