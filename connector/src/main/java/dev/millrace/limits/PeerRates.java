package dev.millrace.limits;

import dev.millrace.jetty.JettyInternals;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import org.eclipse.jetty.http.HttpGenerator;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;

/**
 * How fast one peer sends and takes, measured from one look to the next while it is waited for. Used by the scheduler's
 * thread only. The volatile writes of the connection's threads show it what they did: the parser's state, and the time of the last
 * activity.
 */
public final class PeerRates {
    /** The beginning of this clock. */
    private static final long EPOCH = NanoTime.now();

    private static final int NOT_SAMPLED = -1;
    private static final int NOT_AT_START = -1;
    /** Before the first byte of content a peer may be silent for so many times the grace: its content may be yet to be made. */
    public static final int GRACES_BEFORE_CONTENT = 4;

    private @Nullable RateMeter reads;
    private @Nullable RateMeter writes;
    // From the first look to the last, as far as an int goes. Jetty keeps the time of the creation by the wall clock,
    // which may be set. Two ints take no more memory than a time would alone. Idle connections are many.
    private int ageMillis = NOT_SAMPLED;
    private int messagesAtStart = NOT_AT_START;
    // One field for two values, because idle connections are many. Above 0: milliseconds since bytes came that no
    // request has followed. Below 0: the bytes read until the last look, and the sign bit. 0: no request can begin now.
    private int beforeHead;

    boolean awaitsContent() {
        return reads != null;
    }

    /** @param requests of them content is awaited: a peer may share its line among them as it likes */
    boolean readsBelow(long bytesPerSecond, long requests, long graceMillis) {
        return reads != null && reads.isBelow(bytesPerSecond * Math.max(1, requests), contentGraceMillis(graceMillis));
    }

    /** Whether the application, which awaits content, has been told that the peer is too slow. */
    public boolean isTold() {
        RateMeter current = reads;
        return current != null && current.isTold();
    }

    /** Notes that the application is told that the peer is too slow. */
    void tell() {
        if (reads != null) {
            reads.tell();
        }
    }

    private long contentGraceMillis(long graceMillis) {
        return reads != null && reads.hasBegun() ? graceMillis : GRACES_BEFORE_CONTENT * graceMillis;
    }

    boolean writesBelow(PeerActivity endPoint, long bytesPerSecond, long graceMillis) {
        return writes != null
                && writes.isBelow(bytesPerSecond, graceMillis)
                && writes.hasStalledFor(bytesPerSecond, unseenBytes(endPoint));
    }

    /**
     * The most that the peer may have taken without a sign of it. The kernel wakes a writer when a third of the send
     * buffer has become free. A blocking call returns when the last of its bytes has found room.
     */
    private static long unseenBytes(PeerActivity endPoint) {
        long inCall = endPoint.getBytesInCall();
        try {
            // Linux counts twice the bytes that the option tells of, for its own use of the memory.
            return endPoint.getTransport() instanceof SocketChannel channel
                    ? inCall + channel.getOption(StandardSocketOptions.SO_SNDBUF)
                    : inCall;
        } catch (IOException closed) {
            return inCall;
        }
    }

    /**
     * Milliseconds since the first look at the connection.
     *
     * @param sinceMillis since the last look at all of them
     */
    long millisSinceFirstLook(int sinceMillis) {
        return ageMillis == NOT_SAMPLED ? 0 : (long) ageMillis + sinceMillis;
    }

    /**
     * @param sinceMillis since the last look at all connections
     * @param connection what peer and server speak; null with TLS before the handshake is over
     * @param streams of HTTP/2 whose content is awaited, and has begun to come
     */
    void sample(
            PeerActivity endPoint, int sinceMillis, @Nullable Connection connection, int streams, long graceMillis) {
        HttpParser parser = JettyInternals.parserOf(connection);
        int since = ageMillis == NOT_SAMPLED ? 0 : sinceMillis;
        ageMillis = (int) Math.min(millisSinceFirstLook(sinceMillis), Integer.MAX_VALUE);
        // The volatile read that makes the plain counters of the connection's threads visible.
        endPoint.getIdleFor();
        sampleStart(parser, connection, endPoint, since);
        // An application that was told no longer waits: its interest in the peer's bytes has failed by that.
        boolean awaitsContent = connection != null
                && (streams > 0
                        || (parser != null
                                && awaitsContent(parser, connection)
                                && (isTold() || endPoint.awaitsRead())));
        reads = RateMeter.sampled(
                reads,
                awaitsContent,
                awaitsContent && connection != null ? connection.getBytesIn() : 0,
                since,
                contentGraceMillis(graceMillis));
        if (reads != null && !reads.hasBegun() && (streams > 0 || reads.hasMoved())) {
            reads.begin();
        }
        writes = RateMeter.sampled(writes, endPoint.isWritePending(), endPoint.getSentBytes(), since, graceMillis);
    }

    // The parser stays at its start while it skips line ends, and while a record of TLS is not complete. Bytes are
    // counted before they are parsed: those of a request that is complete by the next look are forgotten then.
    private void sampleStart(
            @Nullable HttpParser parser, @Nullable Connection connection, PeerActivity endPoint, int sinceMillis) {
        boolean atStart = parser != null && parser.isStart();
        long messagesIn = connection == null ? 0 : connection.getMessagesIn();
        int messages = atStart ? (int) messagesIn & Integer.MAX_VALUE : NOT_AT_START;
        if (atStart && messages == messagesAtStart && beforeHead > 0) {
            beforeHead += sinceMillis;
            return;
        }
        int bytes = atStart ? (int) endPoint.getConnection().getBytesIn() | Integer.MIN_VALUE : 0;
        // The time since the last look does not count: these may be the first bytes of a head, about to be parsed.
        beforeHead = atStart && messages == messagesAtStart && bytes != beforeHead ? 1 : bytes;
        messagesAtStart = messages;
    }

    /** Milliseconds, or a little less, since bytes came that may begin a request, but that no request has followed. */
    int millisBeforeHead() {
        return Math.max(0, beforeHead);
    }

    /** A time of {@link NanoTime}, in milliseconds. */
    static long millis(long nanoTime) {
        return NanoTime.millisElapsed(EPOCH, nanoTime);
    }

    static boolean inHead(HttpParser parser) {
        HttpParser.State state = parser.getState();
        return state.compareTo(HttpParser.State.START) > 0 && state.compareTo(HttpParser.State.CONTENT) < 0;
    }

    static long millisInHead(HttpParser parser) {
        long begin = parser.getBeginNanoTime();
        return begin == 0 ? 0 : NanoTime.millisSince(begin);
    }

    // Once the answer has begun both sides may talk at once, and only the application knows which has to.
    private static boolean awaitsContent(HttpParser parser, Connection connection) {
        HttpGenerator generator = JettyInternals.generatorOf(connection);
        // EOF_CONTENT is what follows after a servlet has changed the protocol. It goes on until the connection ends,
        // as a request's own content never does.
        return parser.inContentState()
                && !parser.isState(HttpParser.State.EOF_CONTENT)
                && generator != null
                && !generator.isCommitted();
    }

    /**
     * Whether the first handshake is over, as far as the scheduler's thread can see without a wait. A thread that computes the handshake
     * holds the engine's lock, and may wait in the application, which chooses the key.
     *
     * @param connection what peer and server speak in TLS
     * @param isOld whether the handshake should be over by now: then the engine is asked, though that may take time
     */
    static boolean isSeenEstablished(SslConnection ssl, PeerActivity endPoint, Connection connection, boolean isOld) {
        return connection.getBytesIn() > 0 || ((isOld || endPoint.isFillInterested()) && isEstablished(ssl));
    }

    /** Whether the connection's first handshake is over. Waits for a thread that computes it. */
    public static boolean isEstablished(SslConnection ssl) {
        SSLEngine engine = ssl.getSSLEngine();
        String protocol = engine.getSession().getProtocol();
        // TLS 1.3 has its session before the peer's last word, and no other handshake. What came before has its session
        // when the first is over, and maybe another after it.
        return protocol.equals("TLSv1.3")
                ? engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING
                : !protocol.equals("NONE");
    }
}
