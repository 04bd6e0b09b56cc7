package dev.millrace.connector;

import dev.millrace.connector.LingeringClose.Lingering;
import dev.millrace.jetty.JettyInternals;
import dev.millrace.limits.MonitoredEndPoint;
import dev.millrace.limits.PeerRates;
import dev.millrace.transfer.FlightRecorder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What both connectors' end points have in common. They measure the peer's rates, and tell listeners once of the opening and of the
 * end. Behind a malformed request they read no more. A closed one's channel may linger ({@link LingeringClose}).
 */
abstract class MillraceEndPoint extends SocketChannelEndPoint implements MonitoredEndPoint, HoldingEndPoint {
    private static final Logger LOG = LoggerFactory.getLogger(MillraceEndPoint.class);
    /** The longest wait of a thread for another to leave the connection: see {@link #letHandlingThreadLeave}. */
    private static final long MAX_LEAVING_MILLIS = 100;

    /** What listeners have heard of the connection, until it has left the connector's end points. */
    private enum Stage {
        NEW,
        OPENING,
        OPEN,
        ENDED_WHILE_OPENING,
        ENDED,
        LEFT
    }

    final ContentWriter contentWriter;
    /** Null when no recording was on at the beginning of the connection. */
    private final @Nullable ConnectionEvent connectionEvent;
    // Belongs to the thread that looks at all connections; made at its first look.
    private @Nullable PeerRates rates;
    // Belongs to the thread that flushes; Jetty's flusher lets one at a time.
    private long sentBytes;
    private @Nullable BlockedWriteEvent blockedWrite;
    // Changes are guarded by this. Not an object of its own: idle connections are many.
    private volatile Stage stage = Stage.NEW;
    private volatile @Nullable Throwable endCause;
    // The channel's stay after the end point was closed; null when it was closed with that.
    volatile @Nullable Lingering lingering;
    private volatile @Nullable Http2Turns turns;
    private volatile boolean peerEnded;
    private volatile boolean outputEnded;
    private volatile @Nullable Thread expiring;
    private volatile boolean behindMalformed;
    /** Expiries of the idle timeout since the last read that found bytes in the socket. The idle timer's volatile write shows it. */
    int unreadExpiries;

    MillraceEndPoint(
            SocketChannel channel,
            @Nullable ManagedSelector selector,
            @Nullable SelectionKey key,
            Scheduler scheduler,
            ContentWriter contentWriter)
            throws IOException {
        super(channel, selector, key, scheduler);
        this.contentWriter = contentWriter;
        this.connectionEvent = isRecorded() ? ConnectionEvent.begun(channel) : null;
    }

    /** Whether somebody records in this process, or has: elsewhere no event needs to be made to ask whether it is enabled. */
    static boolean isRecorded() {
        return FlightRecorder.IS_PRESENT && jdk.jfr.FlightRecorder.isInitialized();
    }

    /** Where what is written to an end point ends up, by way of TLS maybe, and of the PROXY protocol. */
    static EndPoint socket(EndPoint endPoint) {
        return endPoint instanceof EndPoint.Wrapper wrapper ? socket(wrapper.unwrap()) : endPoint;
    }

    @Override
    public PeerRates getRates() {
        rates = rates == null ? new PeerRates() : rates;
        return rates;
    }

    /** What peer and server speak, inside TLS or not. */
    final @Nullable Connection spoken() {
        Connection connection = getConnection();
        return connection instanceof SslConnection ssl ? ssl.getSslEndPoint().getConnection() : connection;
    }

    /** The parser of HTTP/1.1, inside TLS or not; null when another protocol is spoken. */
    final @Nullable HttpParser httpParser() {
        return JettyInternals.parserOf(spoken());
    }

    /** Whether TLS has something to write, for which it may need the peer's bytes (RFC 5246 section 7.4.1.1). */
    final boolean isTlsWriting() {
        return getConnection() instanceof SslConnection ssl
                && ssl.getSslEndPoint().getWriteFlusher().isPending();
    }

    @Override
    public final boolean awaitsRead() {
        // What the peer has sent may wait for a thread. A key does not tell: the selector's thread changes it late.
        return isFillInterested() && !ReadAhead.hasUnread(getChannel());
    }

    /** @return the thread that runs the connection's code, if any; it may be busy in a handler */
    abstract @Nullable Thread handlingThread();

    @Override
    public final long getSentBytes() {
        return sentBytes;
    }

    /** Notes what the socket has just taken. */
    final void onSent(long bytes) {
        // The idle timer's volatile write makes this plain one visible: see PeerRates.
        sentBytes += bytes;
        notIdle();
    }

    /** Writes the buffers from one index to another to a channel that does not block; returns whether it has taken all. */
    final boolean write(ByteBuffer[] buffers, int from, int to) throws EofException {
        // A thread may flush TLS while another writes from the same buffer: the second one sees what is left.
        // Without TLS, a write is one call less.
        if (getConnection() instanceof SslConnection tls && !Thread.holdsLock(tls)) {
            synchronized (tls) {
                return write(buffers, from, to);
            }
        }
        int first = GatherWriter.skipEmpty(buffers, from, to);
        if (first == to) {
            return true;
        }
        try {
            long written = contentWriter.write(getChannel(), buffers, first, to, Integer.MAX_VALUE);
            if (written > 0) {
                getTransferStatistics().onWritten(written);
                onSent(written);
            }
        } catch (IOException x) {
            throw new EofException(x);
        }
        return GatherWriter.skipEmpty(buffers, first, to) == to;
    }

    /** Notes that a write waits for the selector, unless it does already. */
    final void beginWait() {
        if (blockedWrite == null && isRecorded()) {
            blockedWrite = BlockedWriteEvent.begun();
        }
    }

    final void endWait() {
        // With TLS two threads may come here at a time.
        if (blockedWrite != null) {
            synchronized (this) {
                BlockedWriteEvent ended = blockedWrite;
                blockedWrite = null;
                if (ended != null) {
                    ended.ended(this);
                }
            }
        }
    }

    final void recordEnd(LimitedConnector connector, @Nullable Throwable cause) {
        if (cause instanceof OutOfMemoryError none) {
            connector.warnOfMemory(none);
        }
        if (isRecorded()) {
            boolean isSlow = rates != null && rates.isTold();
            (connectionEvent == null ? new ConnectionEvent() : connectionEvent).ended(connector, this, isSlow, cause);
        }
    }

    /**
     * Tells listeners of the opening, unless the connection has ended.
     *
     * @param ended tells of an end that came during {@code opening}, and of its cause: this thread tells of both
     */
    final void tellOpening(Runnable opening, Consumer<@Nullable Throwable> ended) {
        if (!moves(Stage.NEW, Stage.OPENING)) {
            return;
        }
        try {
            opening.run();
        } finally {
            if (!moves(Stage.OPENING, Stage.OPEN) && moves(Stage.ENDED_WHILE_OPENING, Stage.ENDED)) {
                ended.accept(endCause);
            }
        }
    }

    /**
     * Tells listeners of the end, once, after they have heard of the opening.
     *
     * @param cause null for an end in order
     * @param ended run now, with whether listeners have heard of the opening; not when another thread tells of both
     */
    final void tellEnd(@Nullable Throwable cause, Consumer<Boolean> ended) {
        Stage before;
        synchronized (this) {
            before = stage;
            if (before.compareTo(Stage.OPEN) <= 0) {
                endCause = cause;
                stage = before == Stage.OPENING ? Stage.ENDED_WHILE_OPENING : Stage.ENDED;
            }
        }
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

    /** Notes that this end point is about to leave the connector's set; returns its channel's stay after that, null for none. */
    final synchronized @Nullable Lingering leave() {
        stage = Stage.LEFT;
        return lingering;
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
     * Called before something is written. While a malformed request is answered, a thread would read into a buffer that may be another
     * connection's by then (decision 0080). So the first that answers lets the handling thread leave, and nothing is read any more.
     *
     * @param answering the connection that may answer a malformed request
     */
    final void beginWrite(@Nullable Connection answering) {
        if (!behindMalformed && JettyInternals.answersMalformedRequest(answering)) {
            // TLS around it may need the peer's bytes all the same.
            behindMalformed = answering == getConnection();
            letHandlingThreadLeave();
        }
    }

    /** Waits until the thread that runs the connection's code has left it: it has found a malformed request, or the end of the input. */
    final void letHandlingThreadLeave() {
        Thread handling = handlingThread();
        if (handling == null || handling == Thread.currentThread()) {
            return;
        }
        // It only gives the buffer back; but inside TLS it may need the lock that this thread holds.
        Waiting.until(MAX_LEAVING_MILLIS, () -> handlingThread() != handling);
    }

    /** Whether a malformed request is answered, and nothing more is read. The protocol that follows an upgrade does read. */
    final boolean isBehindMalformed() {
        return behindMalformed && JettyInternals.parserOf(getConnection()) != null;
    }

    /**
     * Lets the thread that has found the end of a closed connection leave it, before the current one finds the same. Jetty fails the request
     * that had begun, and has the connection run by another thread; both would give back the one buffer.
     *
     * @param reader the connection that asks for bytes; TLS itself does not wait here, for it holds its lock
     * @return -1, as the answer to it
     */
    final int endOfInput(@Nullable Connection reader) {
        HttpParser parser = JettyInternals.parserOf(reader);
        // Content may be read by another thread than the handler's, which may stay for long.
        if (parser != null && !parser.inContentState()) {
            letHandlingThreadLeave();
        }
        return -1;
    }

    /** As Jetty's {@code fill}, but the peer's end is noted before it may close this end point, which then need not linger. */
    final int read(ByteBuffer buffer) {
        Http2Turns current = turns;
        if (current == null) {
            return readNow(buffer);
        }
        // HTTP/2 that reads has been opened, and may handle its first request before that call returns.
        if (stage == Stage.OPENING) {
            moves(Stage.OPENING, Stage.OPEN);
        }
        current.beforeFill();
        int filled = readNow(buffer);
        current.afterFill(filled);
        return filled;
    }

    private int readNow(ByteBuffer buffer) {
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
            unreadExpiries = 0;
            notIdle();
        } else if (filled < 0) {
            peerEnded = true;
            shutdownInput();
        }
        return filled;
    }

    @Override
    public final void setTurns(Http2Turns turns) {
        this.turns = turns;
    }

    @Override
    public final @Nullable Http2Turns getTurns() {
        return turns;
    }

    @Override
    public final void write(Callback callback, ByteBuffer... buffers) {
        Http2Turns current = turns;
        if (current == null) {
            super.write(callback, buffers);
        } else {
            current.write(callback, buffers);
        }
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

    void endOutput() {
        super.doShutdownOutput();
    }

    /** As Jetty's {@code onIdleExpired}, but a connection that is not of HTTP/1.1 is closed when its peer takes nothing. */
    final void expire(TimeoutException timeout, LimitedConnector connector) {
        boolean isStalled = getWriteFlusher().isPending() && httpParser() == null;
        expiring = Thread.currentThread();
        JettyInternals.leaveContent(spoken(), () -> expiring == Thread.currentThread());
        try {
            super.onIdleExpired(timeout);
        } finally {
            expiring = null;
        }
        if (isStalled) {
            // HTTP/2 has kept it, and waits to write that it will end.
            connector.runElsewhere(() -> close(timeout));
        }
    }

    /**
     * Has the channel linger, when the end point is closed and no thread writes; else the caller closes it. A channel whose peer has
     * ended, or is silent by a timeout, need not linger. One whose answer was not written whole must not, for then a reset is right.
     */
    @Nullable Lingering takeToLinger(LingeringClose lingeringClose) {
        if (expiring == null && !hasPeerEnded() && JettyInternals.hasWrittenAll(this, spoken(), outputEnded)) {
            lingering = lingeringClose.take(getChannel());
        }
        return lingering;
    }

    /** Called before a context is entered that may block: the thread that selects, if any, has another one select from now on. */
    void leaveSelector() {}
}
