package dev.millrace.connector;

import dev.millrace.connector.LingeringClose.Lingering;
import dev.millrace.jetty.Http2Internals;
import dev.millrace.jetty.JettyInternals;
import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.limits.PeerRates;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpGenerator;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.WriteFlusher;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the end points of both connectors have in common: the rates of the peer, what listeners hear, and whether the
 * channel lingers ({@link LingeringClose}) when the end point is closed.
 */
abstract class MillraceEndPoint extends SocketChannelEndPoint implements MonitoredEndPoint {
    private static final Logger LOG = LoggerFactory.getLogger(MillraceEndPoint.class);

    /** What listeners have heard of the connection. */
    private enum Stage {
        NEW,
        OPENING,
        OPEN,
        ENDED,
        /** No longer among the connector's end points. */
        LEFT
    }

    private final PeerRates rates = new PeerRates();
    // Guarded by this. Not an object of its own: idle connections are many.
    private Stage stage = Stage.NEW;
    private volatile @Nullable Throwable endCause;
    private volatile @Nullable Lingering lingering;
    private volatile boolean peerEnded;
    private volatile boolean outputEnded;
    private volatile boolean expiring;
    private volatile @Nullable StreamExecutor streams;

    MillraceEndPoint(
            SocketChannel channel,
            @Nullable ManagedSelector selector,
            @Nullable SelectionKey key,
            Scheduler scheduler) {
        super(channel, selector, key, scheduler);
    }

    @Override
    public PeerRates getRates() {
        return rates;
    }

    /** @return the end point of the socket below another; null when that is none of ours */
    static @Nullable MillraceEndPoint below(EndPoint endPoint) {
        EndPoint outer = endPoint instanceof SslConnection.SslEndPoint ssl
                ? ssl.getSslConnection().getEndPoint()
                : endPoint;
        while (outer instanceof EndPoint.Wrapper wrapper) {
            outer = wrapper.unwrap();
        }
        return outer instanceof MillraceEndPoint socket ? socket : null;
    }

    /** Says who runs the requests of the connection, which is one of HTTP/2. */
    final void setStreams(StreamExecutor streamExecutor) {
        streamExecutor.setOnClaim(this::onStreamBegins);
        streams = streamExecutor;
    }

    /** Called by a thread that is about to run a request of HTTP/2. */
    abstract void onStreamBegins();

    /** Whether the connection is one of HTTP/2, whose requests may run on the thread of a selector. */
    final boolean hasQuickStreams() {
        StreamExecutor current = streams;
        return current != null && current.areQuick();
    }

    /** Called by a thread that may be about to wait for the peer, while it runs a request of HTTP/2. */
    final void streamAboutToBlock() {
        StreamExecutor current = streams;
        if (current != null) {
            current.aboutToBlock();
        }
    }

    @Override
    protected void onIncompleteFlush() {
        streamAboutToBlock();
        super.onIncompleteFlush();
    }

    /**
     * Tells listeners of the opening, unless the connection has ended. When the end comes meanwhile, this thread tells of both.
     *
     * @param opening tells of the opening
     * @param ended tells of an end that came during {@code opening}, and of its cause
     */
    final void tellOpening(Runnable opening, Consumer<@Nullable Throwable> ended) {
        if (!moves(Stage.NEW, Stage.OPENING)) {
            return;
        }
        try {
            opening.run();
        } finally {
            if (!moves(Stage.OPENING, Stage.OPEN)) {
                ended.accept(endCause);
            }
        }
    }

    /**
     * Tells listeners of the end, once, after they have heard of the opening.
     *
     * @param cause null for an end in order
     * @param ended run now, with whether listeners have heard of the opening. Not run when another thread tells of the
     *     opening, for that thread then tells of the end.
     */
    final void tellEnd(@Nullable Throwable cause, Consumer<Boolean> ended) {
        Stage before = end(cause);
        if (before == Stage.NEW || before == Stage.OPEN) {
            ended.accept(before == Stage.OPEN);
        }
    }

    private synchronized boolean moves(Stage from, Stage to) {
        if (stage != from) {
            return false;
        }
        stage = to;
        return true;
    }

    private synchronized Stage end(@Nullable Throwable cause) {
        Stage before = stage;
        if (before == Stage.NEW || before == Stage.OPENING || before == Stage.OPEN) {
            endCause = cause;
            stage = Stage.ENDED;
        }
        return before;
    }

    /** Notes that this end point is about to leave the connector's set. */
    final synchronized void leave() {
        stage = Stage.LEFT;
    }

    /** Asked after this end point was put into the connector's set, which it may have left before. */
    final synchronized boolean hasLeft() {
        return stage == Stage.LEFT;
    }

    /** Whether the end of the peer's bytes has been read. */
    boolean hasPeerEnded() {
        return peerEnded;
    }

    /**
     * Reads what the channel, which does not block, has. As Jetty's {@code fill}, but the peer's end is noted before it may close
     * this end point, which then need not linger.
     */
    final int read(ByteBuffer buffer) {
        int filled = -1;
        int position = BufferUtil.flipToFill(buffer);
        try {
            filled = getChannel().read(buffer);
        } catch (IOException x) {
            LOG.debug("Cannot fill from {}: {}", this, x.toString());
        } finally {
            BufferUtil.flipToFlush(buffer, position);
        }
        if (filled > 0) {
            notIdle();
        } else if (filled < 0) {
            peerEnded = true;
            shutdownInput();
        }
        StreamExecutor current = streams;
        if (current != null) {
            current.onFilled(filled);
        }
        return filled;
    }

    // The channel alone may be open for longer.
    @Override
    public boolean isOpen() {
        return super.isOpen() && !(isInputShutdown() && isOutputShutdown());
    }

    @Override
    protected final void doShutdownOutput() {
        outputEnded = true;
        endOutput();
    }

    /** Ends the channel's output. */
    void endOutput() {
        super.doShutdownOutput();
    }

    @Override
    protected void onIdleExpired(TimeoutException timeout) {
        expiring = true;
        try {
            super.onIdleExpired(timeout);
        } finally {
            expiring = false;
        }
    }

    /** The channel's stay after the end point was closed; null when it was closed with that. */
    @Nullable Lingering lingering() {
        return lingering;
    }

    /**
     * Has the channel linger, when the end point is closed and no thread writes. A channel whose peer has ended, or is silent by a
     * timeout, need not linger. One whose answer was not written whole must not, for then a reset is right.
     *
     * @return the channel's stay; null when it does not linger, and the caller closes it
     */
    @Nullable Lingering takeToLinger(LingeringClose lingeringClose) {
        if (!expiring && !hasPeerEnded() && hasWrittenAll()) {
            lingering = lingeringClose.take(getChannel());
        }
        return lingering;
    }

    private boolean hasWrittenAll() {
        if (getConnection() instanceof SslConnection ssl
                && (ssl.getSSLEngine().isInboundDone() || isUnfinished(ssl.getSslEndPoint()))) {
            return false;
        }
        if (isUnfinished(this)) {
            return false;
        }
        HttpGenerator generator = JettyInternals.generatorOf(spoken());
        if (generator == null) {
            return outputEnded || (JettyInternals.hasHttp2() && Http2Internals.hasEnded(getConnection()));
        }
        HttpParser parser = httpParser();
        return generator.isEnd() || (generator.isIdle() && parser != null && parser.isTerminated());
    }

    private static boolean isUnfinished(AbstractEndPoint endPoint) {
        WriteFlusher flusher = endPoint.getWriteFlusher();
        return flusher.isPending() || flusher.isFailed();
    }
}
