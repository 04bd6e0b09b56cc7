package dev.millrace.connector;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.NanoTime;

/**
 * How fast one peer sends and takes, measured from one look to the next while somebody waits for it. Used by the
 * scheduler's thread only, which finds what the connection's threads did by their volatile writes: the parser's state,
 * and the time of the last activity.
 */
final class PeerPace {
    private static final long EPOCH = NanoTime.now();
    private static final int NOT_AT_START = -1;

    private Pace reads;
    private Pace writes;
    // As ints these take no more memory than the time alone did in nanoseconds, and idle connections are many.
    private int sampledMillis = millis(NanoTime.now());
    private int messagesAtStart = NOT_AT_START;
    private int millisSinceStart;

    /** @param requests of them content is awaited: a peer may share its line among them as it likes */
    boolean readsBelow(long bytesPerSecond, long requests, long graceMillis) {
        return reads != null && reads.isBelow(bytesPerSecond * Math.max(1, requests), graceMillis);
    }

    boolean writesBelow(WatchedEndPoint endPoint, long bytesPerSecond, long graceMillis) {
        return writes != null && writes.isBelow(bytesPerSecond, graceMillis)
                && writes.hasStalledFor(bytesPerSecond, unseenBytes(endPoint));
    }

    /**
     * The most that the peer may have taken without anybody's being told. The kernel wakes a writer when a third of the send
     * buffer has become free, and a blocking call returns when the last of its bytes has found room.
     */
    private static long unseenBytes(WatchedEndPoint endPoint) {
        long inCall = endPoint.getBytesInCall();
        try {
            // Linux counts twice the bytes that the option tells of, for its own use of the memory.
            return endPoint.getTransport() instanceof SocketChannel channel
                    ? inCall + channel.getOption(StandardSocketOptions.SO_SNDBUF) : inCall;
        } catch (IOException closed) {
            return inCall;
        }
    }

    /**
     * @param connection what peer and server speak; null with TLS before the handshake is over
     * @param streams of HTTP/2 whose content is awaited
     */
    void sample(WatchedEndPoint endPoint, Connection connection, int streams, long graceMillis) {
        HttpConnection http = connection instanceof HttpConnection h ? h : null;
        int now = millis(NanoTime.now());
        int since = now - sampledMillis;
        sampledMillis = now;
        // The volatile read that makes the plain counters of the connection's threads visible.
        long idleMillis = endPoint.getIdleFor();
        sampleStart(http, since, idleMillis);
        boolean awaitsContent = streams > 0 || http != null && inContent(http.getParser()) && endPoint.awaitsRead();
        reads = Pace.sampled(reads, awaitsContent, awaitsContent ? connection.getBytesIn() : 0, since, graceMillis);
        writes = Pace.sampled(writes, endPoint.isWritePending(), endPoint.getSentBytes(), since, graceMillis);
    }

    // The parser stays at its start while it skips line ends, and while a record of TLS is not complete.
    private void sampleStart(HttpConnection http, int sinceMillis, long idleMillis) {
        boolean atStart = http != null && http.getParser().isStart();
        int messages = atStart ? (int) http.getMessagesIn() & Integer.MAX_VALUE : NOT_AT_START;
        if (!atStart || messages != messagesAtStart) {
            messagesAtStart = messages;
            millisSinceStart = 0;
        } else if (millisSinceStart > 0) {
            millisSinceStart += sinceMillis;
        } else if (idleMillis < sinceMillis - 1) {
            // Not by all the time since the last look: these may be the first bytes of a head, about to be parsed.
            millisSinceStart = 1;
        }
    }

    /** Milliseconds, or a little less, since bytes came that may begin a request, but that no request has followed. */
    int millisBeforeHead() {
        return millisSinceStart;
    }

    private static int millis(long nanoTime) {
        return (int) NanoTime.millisElapsed(EPOCH, nanoTime);
    }

    static boolean inHead(HttpConnection http) {
        HttpParser.State state = http.getParser().getState();
        return state.compareTo(HttpParser.State.START) > 0 && state.compareTo(HttpParser.State.CONTENT) < 0;
    }

    static long millisInHead(HttpConnection http) {
        long begin = http.getParser().getBeginNanoTime();
        return begin == 0 ? 0 : NanoTime.millisSince(begin);
    }

    // Until its end goes what follows the change of protocol that a servlet has made: a request's own content never does.
    private static boolean inContent(HttpParser parser) {
        return parser.inContentState() && !parser.isState(HttpParser.State.EOF_CONTENT);
    }

    /** Whether content of a request is yet to be read. */
    static boolean hasContentLeft(HttpParser parser) {
        // Of a request without content the parser says that it is in its content, until it looks at what follows.
        return parser.inContentState() && parser.hasContent();
    }

    /** Whether the connection's first handshake is over. */
    static boolean isEstablished(SslConnection ssl) {
        SSLEngine engine = ssl.getSSLEngine();
        String protocol = engine.getSession().getProtocol();
        // TLS 1.3 has its session before the peer's last word, and no other handshake; what came before has its session when
        // the first is over, and maybe another after it.
        return protocol.equals("TLSv1.3") ? engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING
                : !protocol.equals("NONE");
    }

    /** Whether the connection only finds out what follows it: Jetty's PROXY protocol, its detector. */
    static boolean isPreliminary(Connection connection) {
        Class<?> factory = connection == null ? null : connection.getClass().getNestHost();
        return factory == ProxyConnectionFactory.class || factory == DetectorConnectionFactory.class;
    }
}
