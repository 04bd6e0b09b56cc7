package dev.millrace.limits;

import dev.millrace.jetty.ContentBeforeTrailers;
import dev.millrace.jetty.Http2Internals;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;

/**
 * Knows for which requests of HTTP/2 the application waits for content, which Jetty's session keeps to itself. While
 * the connector runs it is a customizer of these requests, and notes what their streams are asked for.
 *
 * <p>A request whose answer has begun is left alone. Both sides of a stream may talk at once (RFC 9113 section 5), and
 * then only the application knows which has to. So are requests of gRPC where the connector says so, whose streams may
 * be silent for hours.
 *
 * <p>A peer that may not send, because unread content fills the connection's window, is left alone for the stream's
 * idle timeout. It may have filled the window on purpose, by requests that wait for a thread.
 *
 * <p>Used only where there is HTTP/2. Asked for by the threads of requests; looked at by the scheduler's.
 */
final class Http2ContentDemand implements HttpConfiguration.Customizer {
    private static final String GRPC = "application/grpc";

    private final Connector connector;
    private final BooleanSupplier exemptsGrpc;
    private final Runnable aboutToBlock;
    private final Set<AskedStream> asked = ConcurrentHashMap.newKeySet();

    /**
     * Requests of one connection whose content is awaited.
     *
     * @param sending of which content has come
     * @param silent of which none has come, for longer than is allowed
     */
    record Streams(List<AskedStream> sending, List<AskedStream> silent) {
        static final Streams NONE = new Streams(List.of(), List.of());
    }

    /** A stream of which content has been asked, until its request has ended. */
    final class AskedStream extends ContentBeforeTrailers {
        private final Request request;
        private final Connection connection;
        private final boolean mayBeSilent;
        private volatile boolean isAsked;
        private volatile boolean waiting;
        private volatile boolean begun;
        // These belong to the scheduler's thread.
        private boolean silent;
        private long silentSince;
        private boolean couldSend;
        private boolean isTaken;

        private AskedStream(HttpStream stream, Request request, boolean mayBeSilent) {
            super(stream);
            this.request = request;
            this.connection = request.getConnectionMetaData().getConnection();
            this.mayBeSilent = mayBeSilent;
            if (mayBeSilent) {
                Http2RateMonitor.setMayBeSilent(connection, Integer.parseInt(getId()));
            }
        }

        @Override
        public void demand() {
            isAsked = true;
            asked.add(this);
            // Set before Jetty is asked: content may come at once, and another thread then reads it.
            waiting = true;
            aboutToBlock.run();
            super.demand();
        }

        @Override
        public Content.@Nullable Chunk read() {
            waiting = false;
            Content.Chunk chunk = super.read();
            if (!begun && chunk != null && chunk.hasRemaining()) {
                begun = true;
            }
            return chunk;
        }

        @Override
        public void succeeded() {
            end();
            super.succeeded();
        }

        @Override
        public void failed(Throwable x) {
            end();
            super.failed(isForUnreadContent(x) ? CONTENT_NOT_CONSUMED : x);
        }

        // Told this very reason, Jetty resets the stream without an error, behind its whole answer (RFC 9113 section
        // 8.1). But its channel tells it as the cause of another (12.1.12), and a peer discards the answer of a
        // cancelled stream.
        private boolean isForUnreadContent(Throwable x) {
            return x.getCause() == CONTENT_NOT_CONSUMED
                    && Http2Internals.hasAnsweredEarly(connection, Integer.parseInt(getId()));
        }

        private void end() {
            if (isAsked) {
                asked.remove(this);
            }
        }

        private boolean waitsForPeer() {
            return waiting
                    && !isTaken
                    && !mayBeSilent
                    && !isCommitted()
                    && Http2Internals.mayHaveContent(connection, Integer.parseInt(getId()));
        }

        private void look(Streams ofConnection, long silentMillis, long now) {
            boolean waits = waitsForPeer();
            boolean maySend = waits && !Http2Internals.isReceiveWindowClosed(connection);
            boolean sends = maySend && begun;
            if (sends) {
                ofConnection.sending.add(this);
            }
            if (!waits || sends || !silent || maySend != couldSend) {
                silent = waits && !sends;
                silentSince = now;
                couldSend = maySend;
            } else if (NanoTime.millisElapsed(silentSince, now) >= (maySend ? silentMillis : idleTimeoutMillis())) {
                ofConnection.silent.add(this);
            }
        }

        // A peer that may not send has so long, for Jetty then ends a silent stream too. A WINDOW_UPDATE now and
        // then puts that off.
        private long idleTimeoutMillis() {
            return Http2Internals.idleTimeoutMillis(connection, Integer.parseInt(getId()));
        }

        /** Takes the request to be failed: it is looked at no longer. */
        Request take() {
            isTaken = true;
            return request;
        }
    }

    /**
     * @param exemptsGrpc whether requests of gRPC that come now may be silent
     * @param aboutToBlock called by a request's thread when it may be about to wait
     */
    Http2ContentDemand(Connector connector, BooleanSupplier exemptsGrpc, Runnable aboutToBlock) {
        this.connector = connector;
        this.exemptsGrpc = exemptsGrpc;
        this.aboutToBlock = aboutToBlock;
    }

    void start() {
        // Protocols may share a configuration.
        configurations()
                .filter(configuration -> !configuration.getCustomizers().contains(this))
                .forEach(configuration -> configuration.addCustomizer(this));
    }

    void stop() {
        configurations().forEach(configuration -> configuration.getCustomizers().remove(this));
    }

    private Stream<HttpConfiguration> configurations() {
        return connector.getConnectionFactories().stream()
                .filter(AbstractHTTP2ServerConnectionFactory.class::isInstance)
                .map(http2 -> ((AbstractHTTP2ServerConnectionFactory) http2).getHttpConfiguration());
    }

    @Override
    public Request customize(Request request, HttpFields.Mutable responseHeaders) {
        ConnectionMetaData meta = request.getConnectionMetaData();
        // The configuration may be shared with HTTP/1.1, and with other connectors.
        if (meta.getHttpVersion() == HttpVersion.HTTP_2
                && meta.getConnector() == connector
                && !HttpMethod.CONNECT.is(request.getMethod())) {
            boolean mayBeSilent = exemptsGrpc.getAsBoolean() && isGrpc(request);
            request.addHttpStreamWrapper(stream -> new AskedStream(stream, request, mayBeSilent));
        }
        return request;
    }

    private static boolean isGrpc(Request request) {
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        return type != null && type.regionMatches(true, 0, GRPC, 0, GRPC.length());
    }

    /**
     * @param silentMillis how long a peer may be silent before the first byte of content
     * @param now by the clock of {@link NanoTime}
     * @return the requests whose content is awaited at this moment, by connection
     */
    Map<Connection, Streams> look(long silentMillis, long now) {
        // An application may never end its request: the stream would outlive its connection.
        asked.removeIf(stream -> !stream.connection.getEndPoint().isOpen());
        Map<Connection, Streams> awaited = new HashMap<>();
        for (AskedStream stream : asked) {
            Streams ofConnection =
                    awaited.computeIfAbsent(stream.connection, c -> new Streams(new ArrayList<>(), new ArrayList<>()));
            stream.look(ofConnection, silentMillis, now);
        }
        return awaited;
    }
}
